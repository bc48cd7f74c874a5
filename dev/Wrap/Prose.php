<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * Wraps the text of a comment: what is too much for a line goes to the front of the next one of its paragraph.
 *
 * @internal
 */
final readonly class Prose
{
    /** Shorter than that a last line looks lost, so the line before it ends with a clause, or gives it some words. */
    private const SHORT = 25;

    /** `- text`, `1. text`, and `name  text` of a list of names in columns. */
    private const BULLET = '/^\s*(([-*+]|\d+[.)])\s+|\S+ {2,}(?=\S))/';

    /** Code that is commented out or shown as an example. */
    private const CODE = '/[;{}(\[]$|[\])\'"],$|^\s*[\'"][^\'"]+[\'"] =>|^\s*\$\w+ =/';

    public function __construct(private int $width) {}

    /**
     * @param list<string> $lines
     * @return list<string>
     */
    public function wrap(array $lines): array
    {
        $wrapped = [];
        $isCode = false;
        $isTag = false;
        $open = 0;

        while ($lines !== []) {
            $line = array_shift($lines);
            $isInShape = $open > 0;
            $open = str_starts_with($line, '@') || $isInShape
                ? max(0, $open + substr_count($line, '{') - substr_count($line, '}'))
                : 0;
            $isFence = str_starts_with(ltrim($line), '```');
            $isCode = $isFence ? ! $isCode : $isCode;
            $isTag = str_starts_with($line, '@') || ($isTag && $line !== '');

            if (
                $isCode
                || $isFence
                || mb_strlen($line) <= $this->width
                || ! self::isProse($line, $isTag, $lines[0] ?? '')
            ) {
                $wrapped[] = $line;

                continue;
            }

            $shape = $isInShape
                ? TagLine::explodedItem($line, $this->width) ?? [$line]
                : TagLine::ofLine($line)?->exploded($this->width);

            if ($shape !== null) {
                array_push($wrapped, ...$shape);

                continue;
            }

            [$first, $rest] = $this->split($line, $lines !== [] && self::continues($lines[0]));
            $wrapped[] = $first;

            if ($rest !== '') {
                $lines = self::prepended($lines, $rest, self::hanging($line));
            }
        }

        return $wrapped;
    }

    private static function isProse(string $line, bool $isTag, string $next): bool
    {
        // Text that is indented under a line may be an example or a column. Only a person can
        // tell these from a paragraph.
        $isHead = ! $isTag && trim($next) !== '' && strspn($next, ' ') > strlen(self::hanging($line))
            && preg_match(self::BULLET, $next) !== 1;
        $isIndented = ! $isTag && str_starts_with($line, '    ') && preg_match(self::BULLET, $line) !== 1;

        return ! $isHead
            && ! $isIndented
            && ! str_starts_with(ltrim($line), '|')
            && ! str_contains($line, '@phpstan-ignore')
            && (str_starts_with($line, '@') || self::isSentence($line) || preg_match(self::CODE, $line) !== 1);
    }

    /** It may end like code: with a semicolon, or with the name of a function and a comma. */
    private static function isSentence(string $line): bool
    {
        return preg_match('/^[A-Z]\w*,? \w+,? [a-z]/', $line) === 1;
    }

    /** Where the lines of this one's paragraph begin. */
    private static function hanging(string $line): string
    {
        if (str_starts_with($line, '@')) {
            return '    ';
        }

        $length = preg_match(self::BULLET, $line, $match) === 1 ? strlen($match[0]) : strspn($line, ' ');

        return str_repeat(' ', $length);
    }

    /** Whether the line goes on with the paragraph before it. */
    private static function continues(string $line): bool
    {
        return trim($line) !== ''
            && preg_match('/^\s*(@|\||#|```)/', $line) !== 1
            && preg_match(self::BULLET, $line) !== 1
            && preg_match(self::CODE, $line) !== 1;
    }

    /**
     * @param list<string> $lines
     * @return list<string>
     */
    private static function prepended(array $lines, string $rest, string $hanging): array
    {
        if (
            $lines !== []
            && self::continues($lines[0])
            && (strspn($lines[0], ' ') === strlen($hanging) || $hanging === '    ')
        ) {
            $lines[0] = str_repeat(' ', strspn($lines[0], ' ')).$rest.' '.ltrim($lines[0]);

            return $lines;
        }

        return [$hanging.$rest, ...$lines];
    }

    /** @return array{string, string} */
    private function split(string $line, bool $isContinued): array
    {
        $least = TagLine::ofLine($line)->prefix ?? mb_strlen(self::hanging($line)) + 1;
        $at = $this->breakAt($line, $least, $this->width);

        if (! $isContinued && mb_strlen($line) - $at < self::SHORT) {
            $at = $this->clauseEnd($line, max($least, intdiv(2 * $this->width, 3)), $at);
        }

        return [rtrim(mb_substr($line, 0, $at)), trim(mb_substr($line, $at))];
    }

    private function breakAt(string $line, int $least, int $most): int
    {
        for ($at = min($most, mb_strlen($line)); $at >= $least; $at--) {
            if (self::mayBreak($line, $at)) {
                return $at;
            }
        }

        // A word that is too long itself, such as an address.
        for ($at = max($least, 1); $at < mb_strlen($line); $at++) {
            if (self::mayBreak($line, $at)) {
                return $at;
            }
        }

        return mb_strlen($line);
    }

    private function clauseEnd(string $line, int $least, int $at): int
    {
        for ($end = $at; $end >= $least; $end--) {
            if (self::mayBreak($line, $end) && in_array(mb_substr($line, $end - 1, 1), ['.', ';', ':', ','], true)) {
                return $end;
            }
        }

        return $this->breakAt($line, $least, min($at, mb_strlen($line) - self::SHORT));
    }

    /** At a space outside of `code`, where the rest would not read as a bullet, a tag or a table. */
    private static function mayBreak(string $line, int $at): bool
    {
        return mb_substr($line, $at, 1) === ' '
            && substr_count(mb_substr($line, 0, $at), '`') % 2 === 0
            && preg_match('/^ +(@|\||#|```|[-*+]\s|\d+[.)](\s|$))/', mb_substr($line, $at)) !== 1;
    }
}
