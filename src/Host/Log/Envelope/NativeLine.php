<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

/**
 * How native log lines begin: those of the error logs of nginx, PHP-FPM and PHP, of the slow log, of access logs and of
 * Monolog.
 *
 * @internal
 */
final readonly class NativeLine
{
    private const SHAPES = '~\A(?:'
        // nginx
        .'\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[a-z]+\] '
        // PHP-FPM, PHP and the header of a trace
        .'|\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d'
        // the rest of a trace
        .'|\[0x[0-9a-f]+\] .+:\d+\z|script_filename = |\+\+\+ dump failed\z'
        // PHP-FPM's children, and PHP-FPM in a syslog
        .'|(?:DEBUG|NOTICE|WARNING|ERROR|ALERT): |\[(?:DEBUG|NOTICE|WARNING|ERROR|ALERT)\] '
        // PHP
        .'|(?:PHP message: )?(?:<b>|PHP )?(?:(?:User|Core|Compile|Recoverable) )?[Ff]atal error(?:</b>)?: '
        .'|(?:PHP message: )?PHP [A-Z][a-z]+(?: [a-z]+)?: |PHP message: '
        // access logs
        .'|(?:(?:[0-9A-Fa-f:.]+|[0-9A-Za-z][\w.-]*) [^\s|]+ [^\s|]* \[?|- - [^\s|]* )'
        .'\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d '
        // Monolog
        .'|\[\d{4}-\d\d-\d\d[ T][^\]]+\] [\w-]+\.[A-Z]+: '
        .')~s';

    public static function matches(string $line): bool
    {
        return preg_match(self::SHAPES, $line) === 1;
    }

    /** @param list<string> $lines */
    public static function count(array $lines): int
    {
        return count(array_filter($lines, self::matches(...)));
    }
}
