// The front header of memmodel: the home of raw atomics. Other folders use these structures, and name no
// std::memory_order themselves. Each file states its thread safety and invariants, and explains every order
// by the operation that it pairs with.
//
//   Token, TokenGuard   try-lock: the right to work on one rank's matching engine
//   Ring                mailbox cells, many producers to one consumer at a time
//   Shuttle             one message at a time between two, in turns
//   Mailbox             both: a Ring, and a Shuttle to the mailbox that it mostly talks to
//   WaitingLine         items that one side posts by two stores, taken when they are needed
//   Parking             sleeping without lost wake-ups, wakers pay one load
//   Flag, Sequence, Counter, Meeting, SpinLock   words that tell others that something is done
//   FairLock            a reader-writer lock in the order of arrival
//   Gate                passed often and cheaply, closed rarely
//   Lazy                made when it is first needed
//   Pile                items that many put and one takes all of
//   FenceWord           full and three-rule fences of a thread
//   load_element, ...   atomic accesses to elements of a program's memory
//   Native              what they need from the machine (fences, futex, pause)
#pragma once

#include "memmodel/element.hpp"
#include "memmodel/fair_lock.hpp"
#include "memmodel/fences.hpp"
#include "memmodel/flag.hpp"
#include "memmodel/gate.hpp"
#include "memmodel/lazy.hpp"
#include "memmodel/mailbox.hpp"
#include "memmodel/native.hpp"
#include "memmodel/parking.hpp"
#include "memmodel/pile.hpp"
#include "memmodel/ring.hpp"
#include "memmodel/shuttle.hpp"
#include "memmodel/token.hpp"
#include "memmodel/waiting_line.hpp"
