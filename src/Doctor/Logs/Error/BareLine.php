<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\Error;

/**
 * A line that says neither when it was written nor by which program: what a child of PHP-FPM writes with
 * decorate_workers_output = no, PHP into a syslog or a terminal, PHP-FPM into a syslog.
 *
 * @internal
 */
final readonly class BareLine
{
    public const PHP = 'php';

    private const FROM_CHILD = 'PHP message: ';

    /** The common format and those near it; PHP-FPM's own has no brackets around its time. */
    private const ACCESS = '~\A[^\s|]++ [^\s|]++ .{0,80}?\[?\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}~s';

    private const MONOLOG = '~\A\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^\]]*+\] [\w-]++\.[A-Z]++: ~';

    private function __construct(
        public FpmError $kind,
        public string $level,
        public ?string $pool = null,
        public ?PhpMessage $php = null,
    ) {}

    public static function parse(string $line): ?self
    {
        $fpm = FpmLine::bare($line);
        $text = $fpm->message ?? $line;
        $isOfChild = str_starts_with($text, self::FROM_CHILD);
        $text = $isOfChild ? substr($text, strlen(self::FROM_CHILD)) : $text;
        $php = PhpMessage::parse($text);

        return match (true) {
            $php !== null => new self($php->kind, self::PHP, php: $php),
            $isOfChild => new self(FpmError::Output, self::PHP),
            $fpm !== null => new self($fpm->kind(), $fpm->level, $fpm->pool),
            default => null,
        };
    }

    public static function isAccess(string $line): bool
    {
        return preg_match(self::ACCESS, $line) === 1;
    }

    /** The first line of an entry of Monolog's, whose application writes to the same place. */
    public static function isMonolog(string $line): bool
    {
        return preg_match(self::MONOLOG, $line) === 1;
    }
}
