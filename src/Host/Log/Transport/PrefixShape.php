<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Transport;

/**
 * Prefixes by their shape. The order matters: of two that fit equally well the first one is taken.
 *
 * @internal
 */
enum PrefixShape
{
    /** The container runtime interface's file: time, stream, F or P (the line goes on in the next one). */
    case Cri;

    /** RFC 5424, section 6. */
    case Syslog;

    /** RFC 3164, section 4.1, and the short forms of the journal: time, host, program with its pid. */
    case Journal;

    /** "[pod/name/container] ". */
    case Pod;

    /** Names of services, padded to one width. */
    case Service;

    /** RFC 3339, of a container's runtime. */
    case Time;

    private const ISO = '\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)';

    private const HOST = '[0-9A-Za-z_][^\s:\[\]|"]*+';

    private const PROGRAM = '[^\s:\[\]"]++(?:\[\d++\])?';

    public function pattern(): string
    {
        return '~\A'.match ($this) {
            self::Cri => '(?<time>'.self::ISO.') (?<source>stdout|stderr) (?<part>[FP])(?::[^ ]*+)?(?: |\z)',
            self::Syslog => '<\d{1,3}>\d{1,2} (?<time>'.self::ISO.'|-) (?<source>\S++ \S++ \S++) \S++ '
                .'(?:-|(?:\[(?:[^\]\\\\"]|"(?:[^"\\\\]|\\\\.)*+")*+\])++)(?: (?:\xEF\xBB\xBF)?|\z)',
            self::Journal => '(?:<\d{1,3}>)?(?:(?<time>'.self::ISO.'|[A-Z][a-z]{2} [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,9})?'
                .'|[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})? [A-Z+-][A-Z0-9:+-]*+|\d{9,11}\.\d{6})'
                .'|\[ *\d++\.\d{6}\]) (?<source>(?:'.self::HOST.' )?'.self::PROGRAM.'):(?: |\z)',
            self::Pod => '\[(?<source>pod/[^\]/\s]++/[^\]/\s]++)\](?: |\z)',
            self::Service => '(?<source>[0-9A-Za-z][0-9A-Za-z_.-]*+) *\|(?: |\z)',
            self::Time => '(?<time>'.self::ISO.')(?: |\z)',
        }.'~s';
    }
}
