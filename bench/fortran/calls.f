! Through mpif.h: what main.c does through C.
      SUBROUTINE MPIF_PING_PONG(WORDS, RANK, CALLS)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER WORDS(2), RANK, CALLS, I, IERROR
      DO 10 I = 1, CALLS
        IF (RANK .EQ. 0) THEN
          CALL MPI_SEND(WORDS, 2, MPI_INTEGER, 1, 0, MPI_COMM_WORLD,
     &                  IERROR)
          CALL MPI_RECV(WORDS, 2, MPI_INTEGER, 1, 0, MPI_COMM_WORLD,
     &                  MPI_STATUS_IGNORE, IERROR)
        ELSE
          CALL MPI_RECV(WORDS, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD,
     &                  MPI_STATUS_IGNORE, IERROR)
          WORDS(1) = WORDS(1) + 1
          CALL MPI_SEND(WORDS, 2, MPI_INTEGER, 0, 0, MPI_COMM_WORLD,
     &                  IERROR)
        END IF
   10 CONTINUE
      END
