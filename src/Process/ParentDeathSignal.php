<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * Wraps a command so that it ends when its parent ends, and runs as another user if root starts it.
 *
 * @internal
 */
final readonly class ParentDeathSignal
{
    // If the parent dies before prctl() is called, no signal comes; the changed parent id reveals it.
    private const WHILE_STARTED_BY = 'test "$PPID" -eq "$0" || { echo "Process $0, which started this, is not its'
        .' parent any more." >&2; exit 1; }; exec "$@"';

    /**
     * The kernel sends the signal when the parent dies, even of SIGKILL: prctl(2), PR_SET_PDEATHSIG. The kernel clears
     * the setting when a process changes its user. So setpriv changes the user here, and the program must not change it
     * again.
     *
     * The command runs only as a child of this process.
     *
     * @param non-empty-list<string> $command
     * @return non-empty-list<string>
     *
     * @throws UnableToFindProgram an account is given and setpriv is not installed
     */
    public static function around(array $command, Signal $signal, ?UnixUser $account = null): array
    {
        $setpriv = Programs::optional('setpriv');

        if ($setpriv === null) {
            return $account === null ? $command : throw UnableToFindProgram::program(['setpriv'], 'util-linux');
        }

        $as = $account === null ? [] : ['--reuid', $account->user, '--regid', $account->group, '--init-groups'];

        return [
            $setpriv,
            ...$as,
            '--pdeathsig',
            $signal->abbreviation(),
            '--',
            '/bin/sh',
            '-c',
            self::WHILE_STARTED_BY,
            (string) getmypid(),
            ...$command,
        ];
    }
}
