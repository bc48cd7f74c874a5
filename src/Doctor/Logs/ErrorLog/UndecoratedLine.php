<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

use Headroom\Host\Log\Months;

/**
 * A line without the beginning that PHP-FPM and nginx give theirs: what a child of PHP-FPM writes with
 * decorate_workers_output = no, PHP into a syslog or a terminal, PHP-FPM into a syslog, an application that logs what
 * PHP said.
 *
 * @internal
 */
final readonly class UndecoratedLine
{
    public const PHP = 'php';

    private const FROM_CHILD = 'PHP message: ';

    /** The common format and those near it; PHP-FPM's own has no brackets around its time. */
    private const ACCESS = '~\A[^\s|"{]++ [^\s|]++ .{0,80}?\[?\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}~s';

    /** Of Monolog, and of PHP's development server and Apache. */
    private const DATE = '~\A\[(?:(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)[^\]]*+\]'
        .'|[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d)(?:\.\d++)? (\d{4})\] )~';

    /** @param ?string $time "2026-03-02 10:15:05", where the line tells */
    private function __construct(
        public FpmError $kind,
        public string $level,
        public ?string $time = null,
        public ?string $pool = null,
        public ?PhpMessage $php = null,
    ) {}

    public static function parse(string $line): ?self
    {
        $fpm = FpmLine::bare($line);
        [$text, $time] = $fpm === null ? self::dated($line) : [$fpm->message, null];
        $isOfChild = str_starts_with($text, self::FROM_CHILD);
        $text = $isOfChild ? substr($text, strlen(self::FROM_CHILD)) : $text;
        $php = PhpMessage::parse($text);

        return match (true) {
            $php !== null => new self($php->kind, self::PHP, $time, php: $php),
            $isOfChild => new self(FpmError::Output, self::PHP),
            $fpm !== null => new self($fpm->kind(), $fpm->level, pool: $fpm->pool),
            default => null,
        };
    }

    /** @return array{string, ?string} what is behind a date, and the date */
    private static function dated(string $line): array
    {
        if (preg_match(self::DATE, $line, $m, PREG_UNMATCHED_AS_NULL) !== 1) {
            return [$line, null];
        }

        $day = $m[1] ?? sprintf('%s-%02d-%02d', $m[6], Months::number((string) $m[3]), (int) $m[4]);

        return [ltrim(substr($line, strlen($m[0]))), "{$day} ".($m[2] ?? $m[5])];
    }

    public static function isAccess(string $line): bool
    {
        return preg_match(self::ACCESS, $line) === 1;
    }

    /** The first line of an entry of another program that writes to the same place: Monolog, Apache. */
    public static function beginsWithDate(string $line): bool
    {
        return preg_match(self::DATE, $line) === 1;
    }
}
