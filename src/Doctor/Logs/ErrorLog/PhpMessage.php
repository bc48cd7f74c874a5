<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * What PHP says about a script (main/main.c, Zend/zend_alloc.c, Zend/zend_execute_API.c), wherever it came to be
 * written: between other words, several in one line, cut off, or as HTML.
 *
 * @internal
 */
final readonly class PhpMessage
{
    private const MEMORY = 'Allowed memory size of ';

    private const TIME = 'Maximum execution time of ';

    /** Behind "error:": what was cut off this early begins nothing else. */
    private const SHORTEST_CUT = 9;

    private const ERROR = '~\b(?:Fatal|Parse|Core|Compile|[Rr]ecoverable fatal) error: |\bUncaught \\\\?[A-Z]~';

    private const FORMATTED = '~\APHP [A-Z][a-z]+(?: [a-z]+)?: |\A(?:Warning|Notice|Deprecated): ~';

    private const PLACE = '~(?: in (?<file>\S[^"]{0,1024}?)(?: on line |:)(?<line>\d+)'
        .'| at (?<object>/[^"]{0,1024}?):(?<at>\d+)\))~';

    /** @param ?string $place "/srv/app/Feed.php:88" */
    private function __construct(public FpmError $kind, public ?string $place, public bool $isWhole) {}

    /** @return ?self null where it is nothing of PHP's but a script's own words */
    public static function parse(string $text): ?self
    {
        $text = str_contains($text, '<b>') ? str_replace(['<b>', '</b>', '<br />'], '', $text) : $text;
        $kind = self::kind($text);

        if ($kind === null) {
            return null;
        }

        return new self($kind, self::place($text, $kind), self::endsIn($text));
    }

    /** PHP ends with the line of the script; of an uncaught exception, behind its trace. */
    public static function endsIn(string $line): bool
    {
        return preg_match('/ on line \d+\s*\z/', $line) === 1;
    }

    /** Of the further lines of an uncaught exception, or of what PHP 8.5 adds to any fatal error. */
    public static function isTrace(string $line): bool
    {
        return match ($line[0] ?? '') {
            '#' => preg_match('/\A#\d+ /', $line) === 1,
            'S' => str_starts_with($line, 'Stack trace:'),
            'N' => preg_match('/\ANext [A-Z\\\\][\w\\\\]*(?::| in )/', $line) === 1,
            ' ' => str_starts_with($line, '  thrown in '),
            default => false,
        };
    }

    /** Behind what it is about: another message may come before it. */
    private static function place(string $text, FpmError $kind): ?string
    {
        $begin = match ($kind) {
            FpmError::PhpMemory => strpos($text, self::MEMORY),
            FpmError::PhpTime => strpos($text, self::TIME),
            FpmError::PhpFatal => preg_match(self::ERROR, $text, $m, PREG_OFFSET_CAPTURE) === 1 ? $m[0][1] : 0,
            default => strlen($text),
        };

        return preg_match(self::PLACE, $text, $m, PREG_UNMATCHED_AS_NULL, (int) $begin) === 1
            ? ($m['file'] ?? $m['object'] ?? '').':'.($m['line'] ?? $m['at'] ?? '')
            : null;
    }

    private static function kind(string $text): ?FpmError
    {
        return match (true) {
            self::has($text, self::MEMORY) => FpmError::PhpMemory,
            self::has($text, self::TIME) => FpmError::PhpTime,
            preg_match(self::ERROR, $text) === 1 => FpmError::PhpFatal,
            preg_match(self::FORMATTED, $text) === 1 => FpmError::PhpMessage,
            default => null,
        };
    }

    /** With its number, or cut off before it. */
    private static function has(string $text, string $sentence): bool
    {
        if (str_contains($text, $sentence)) {
            return preg_match("/\\b{$sentence}(?:\\d|\\.{0,3}\\z)/", $text) === 1;
        }

        $error = strrpos($text, ' error: ');
        $begun = $error === false ? '' : trim(substr($text, $error + 8), ' .');

        return strlen($begun) >= self::SHORTEST_CUT && str_starts_with($sentence, $begun);
    }
}
