<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * What the system said of a call that failed, "(111: Connection refused)". Numbers are Linux's first, where nginx and
 * PHP-FPM run most; a number that means nothing of this there is of another system, and the words tell, which each C
 * library has its own of; at last the numbers of BSD, macOS, Solaris and Windows.
 *
 * @internal
 */
enum Errno
{
    case NotFound;
    case Forbidden;
    case Again;
    case Refused;
    case TimedOut;
    case Reset;
    case Unreachable;
    case NoLocalPort;
    case AddressInUse;
    case TooManyFiles;
    case NoSpace;

    /** asm-generic/errno.h */
    private const LINUX = [
        2 => self::NotFound, 20 => self::NotFound,
        1 => self::Forbidden, 13 => self::Forbidden, 30 => self::Forbidden,
        11 => self::Again,
        23 => self::TooManyFiles, 24 => self::TooManyFiles,
        28 => self::NoSpace, 122 => self::NoSpace,
        98 => self::AddressInUse, 99 => self::NoLocalPort,
        32 => self::Reset, 103 => self::Reset, 104 => self::Reset,
        100 => self::Unreachable, 101 => self::Unreachable, 112 => self::Unreachable, 113 => self::Unreachable,
        110 => self::TimedOut, 111 => self::Refused,
    ];

    /** BSD and macOS below 100, Solaris below 200, Winsock above 10,000. */
    private const ELSEWHERE = [
        35 => self::Again, 10035 => self::Again,
        48 => self::AddressInUse, 125 => self::AddressInUse, 10048 => self::AddressInUse,
        49 => self::NoLocalPort, 126 => self::NoLocalPort, 10049 => self::NoLocalPort, 10055 => self::NoLocalPort,
        50 => self::Unreachable, 51 => self::Unreachable, 64 => self::Unreachable, 65 => self::Unreachable,
        127 => self::Unreachable, 128 => self::Unreachable, 147 => self::Unreachable, 148 => self::Unreachable,
        10050 => self::Unreachable, 10051 => self::Unreachable, 10064 => self::Unreachable, 10065 => self::Unreachable,
        53 => self::Reset, 54 => self::Reset, 130 => self::Reset, 131 => self::Reset,
        10053 => self::Reset, 10054 => self::Reset,
        60 => self::TimedOut, 145 => self::TimedOut, 10060 => self::TimedOut,
        61 => self::Refused, 146 => self::Refused, 10061 => self::Refused,
        69 => self::NoSpace, 10013 => self::Forbidden, 10024 => self::TooManyFiles,
    ];

    /** Of glibc, musl, BSD, Solaris and Windows. */
    private const WORDS = [
        'no such file|not a directory|cannot find the (?:file|path)|no such device or address' => self::NotFound,
        'permission denied|not permitted|access is denied|forbidden|read-?only file system' => self::Forbidden,
        'temporarily unavailable|try again|would block' => self::Again,
        'refused' => self::Refused,
        'timed? ?-?out|failed to respond|did not properly respond' => self::TimedOut,
        'reset|broken pipe|(?:connection )?abort|forcibly closed' => self::Reset,
        'unreachable|no route|(?:host|network) is down' => self::Unreachable,
        'requested address|address (?:is )?not available|not valid in its context|buffer space' => self::NoLocalPort,
        'address (?:already )?in use|only one usage of each socket address' => self::AddressInUse,
        'too many open files|file table overflow|no (?:more )?file descriptors' => self::TooManyFiles,
        'no space|not enough space|quota exceeded|disk full' => self::NoSpace,
    ];

    public static function of(int $number, string $words): ?self
    {
        return self::LINUX[$number] ?? self::fromWords($words) ?? self::ELSEWHERE[$number] ?? null;
    }

    private static function fromWords(string $words): ?self
    {
        foreach (self::WORDS as $pattern => $meaning) {
            if (preg_match("~{$pattern}~i", $words) === 1) {
                return $meaning;
            }
        }

        return null;
    }
}
