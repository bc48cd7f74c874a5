<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

/**
 * The shapes of prefixes. The order matters: the first of two shapes that fit equally well is used.
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

    /** "[pod/name/container] ", "[name] ". */
    case Brackets;

    /** Names of services, padded to one width and followed by a bar. */
    case Bar;

    /** RFC 3339, by a container runtime. */
    case Time;

    /** "name: ", or a path as grep prints it. */
    case Label;

    /** One name or two, such as those of a pod and of a container. */
    case Names;

    /** The last: any text before a line whose own beginning identifies its program. */
    case Any;

    private const ISO = '\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?';

    private const HOST = '[0-9A-Za-z_][^\s:\[\]|"]*+';

    private const PROGRAM = '[^\s:\[\]"]++(?:\[[^\s\[\]]*+\])?';

    /** @return list<self> each of which has a form of its own */
    public static function around(): array
    {
        return array_slice(self::cases(), 0, -1);
    }

    public function isLoose(): bool
    {
        return $this === self::Label || $this === self::Names || $this === self::Any;
    }

    public function pattern(): string
    {
        return '~\A'.match ($this) {
            self::Cri => '(?<time>'.self::ISO.') (?<source>stdout|stderr) (?<part>[FP])(?::[^ ]*+)?(?: |\z)',
            self::Syslog => '<\d{1,3}>\d{1,2} (?<time>'.self::ISO.'|-) (?<source>\S++ \S++ \S++) \S++ '
                .'(?:-|(?:\[(?:[^\]\\\\"]|"(?:[^"\\\\]|\\\\.)*+")*+\])++)(?: (?:\xEF\xBB\xBF)?|\z)',
            self::Journal => '(?:<\d{1,3}>)?(?:(?<time>'.self::ISO
                .'|[^\s\[\]<|"{]{2,12} [ \d]\d (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,9})?'
                .'|[^\s\[\]<|"{]{2,12} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})? [A-Z+-][A-Z0-9:+-]*+'
                .'|\d{9,11}\.\d{6})'
                .'|\[ *\d++\.\d{6}\]) (?<source>(?:'.self::HOST.' )?'.self::PROGRAM.'):(?: |\z)',
            self::Brackets => '\[(?<source>[0-9A-Za-z][\w./:@-]*+)\](?: |\z)',
            self::Bar => '(?:\d\d:\d\d:\d\d )?(?<source>[0-9A-Za-z][^\s|"\[]*+) *\|(?: |\z)',
            self::Label => '(?<source>[0-9A-Za-z/.][^\s:|"\[]*+):(?:\d++:)? ?',
            self::Names => '(?<source>[0-9a-z][0-9a-z./_-]*+(?: (?:› )?[0-9a-z][0-9a-z./_-]*+)?+)(?: |\z)',
            self::Any =>
                '.{1,300}?(?=\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[a-z]++\] \d|\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d'
                    .'|\[0x[0-9a-f]{8,}+\] |(?:NOTICE: )?PHP message: '
                    .'|PHP (?:[A-Z][a-z]++ )?[A-Z]?[a-z]++(?: error)?:  '
                    .'|(?:DEBUG|NOTICE|WARNING|ERROR|ALERT): \[pool )',
            self::Time => '(?<time>'.self::ISO.')(?: |\z)',
        }.'~s';
    }
}
