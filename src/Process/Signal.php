<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * Signal numbers of Linux. The constants of ext-pcntl exist only with the extension.
 *
 * @internal
 */
enum Signal: int
{
    case HangUp = 1;
    case Interrupt = 2;
    case Quit = 3;
    case Kill = 9;
    case User1 = 10;
    case Terminate = 15;
    case Stop = 19;

    /** The name that kill(1) and setpriv(1) use. */
    public function abbreviation(): string
    {
        return match ($this) {
            self::HangUp => 'HUP',
            self::Interrupt => 'INT',
            self::Quit => 'QUIT',
            self::Kill => 'KILL',
            self::User1 => 'USR1',
            self::Terminate => 'TERM',
            self::Stop => 'STOP',
        };
    }
}
