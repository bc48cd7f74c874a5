<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

/**
 * Turns a block of commands into a script for a scratch application.
 */
final readonly class Shell
{
    /** Commands that run until a signal ends them. */
    private const ENDLESS = '~^(?:php artisan|(?:vendor/bin/)?headroom) '
        .'(?:spool:work|schedule:work|queue:work|headroom:collect|collect)(?![\w:-])'
        .'(?!.*--(?:once|stop-when-empty))~m';

    /**
     * A program that would change the machine and not the application: the stand-in notes that it was called. sudo runs
     * the rest as the user that it names.
     */
    public const STAND_INS = [
        'composer', 'usermod', 'useradd', 'systemctl', 'supervisorctl', 'crontab', 'apt-get', 'docker', 'kubectl',
        'npm',
    ];

    public const NOTES = 'storage/stand-ins.txt';

    private const PRELUDE = <<<'SH'
        set -euo pipefail
        during() {
            local code=0
            timeout --preserve-status --signal=TERM 3 "$@" || code=$?
            [ "$code" = 0 ] || [ "$code" = 143 ]
        }

        SH;

    private const SUDO = <<<'SH'
        #!/bin/sh
        if [ "$1" = -u ]; then
            user=$2
            shift 2
            [ "$(id -u)" != 0 ] || exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@"
        fi
        exec "$@"

        SH;

    public static function script(string $code): string
    {
        return self::PRELUDE.preg_replace(self::ENDLESS, 'during $0', $code);
    }

    /** @return array<string, string> text of each program, by name */
    public static function programs(string $notes): array
    {
        $programs = ['sudo' => self::SUDO];

        // Only root can give files to another user or group.
        $forRoot = posix_geteuid() === 0 ? [] : ['chgrp', 'chown'];

        foreach ([...self::STAND_INS, ...$forRoot] as $name) {
            $programs[$name] = "#!/bin/sh\necho \"{$name} \$*\" >> '{$notes}'\n";
        }

        return $programs;
    }

    /** @return list<array{string, string}> commands of a transcript, each with what it prints */
    public static function transcript(string $text): array
    {
        $turns = [];

        foreach ((array) preg_split('/^\$ /m', $text, -1, PREG_SPLIT_NO_EMPTY) as $turn) {
            [$command, $printed] = [...explode("\n", (string) $turn, 2), ''];
            $turns[] = [$command, $printed];
        }

        return $turns;
    }
}
