<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * A command that ends with whoever starts it, and runs as somebody else where root starts it so.
 *
 * @internal
 */
final readonly class ParentDeathSignal
{
    // For a starter that is dead before the kernel is asked, no signal comes: whose child it is then tells.
    private const WHILE_STARTED_BY = 'test "$PPID" -eq "$0" || { echo "Process $0, which started this, is not its parent any more." >&2; exit 1; }; exec "$@"';

    /**
     * The kernel sends the signal when the starter dies, even of SIGKILL: prctl(2), PR_SET_PDEATHSIG. It forgets that when a
     * process takes on another user, so a program that does so by itself gets no signal: hence the account here.
     *
     * The command runs only as a child of this very process.
     *
     * @param non-empty-list<string> $command
     * @return non-empty-list<string>
     *
     * @throws UnableToFindProgram when an account is asked for and there is no setpriv
     */
    public static function around(array $command, Signal $signal, ?UnixUser $account = null): array
    {
        $setpriv = Programs::optional('setpriv');

        if ($setpriv === null) {
            return $account === null ? $command : throw UnableToFindProgram::program(['setpriv'], 'util-linux');
        }

        $as = $account === null ? [] : ['--reuid', $account->user, '--regid', $account->group, '--init-groups'];

        return [$setpriv, ...$as, '--pdeathsig', $signal->abbreviation(), '--', '/bin/sh', '-c', self::WHILE_STARTED_BY, (string) getmypid(), ...$command];
    }
}
