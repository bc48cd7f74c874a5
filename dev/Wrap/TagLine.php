<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * A line with a tag, up to where its description begins.
 *
 * @internal
 */
final readonly class TagLine
{
    private const TYPED = '/^@(?:phpstan-|psalm-)?(param|return|var|throws)(-out)?\s+/';

    private const WHOLE =
        '/^@(?:phpstan-|psalm-)?(template|implements|extends|method|property|mixin|type|import-type|assert|use)\b/';

    /** @param int $prefix characters of tag, type and variable, within which no line may end */
    private function __construct(private string $line, public int $prefix) {}

    public static function ofLine(string $line): ?self
    {
        if (preg_match(self::WHOLE, $line) === 1) {
            return new self($line, mb_strlen($line));
        }

        if (preg_match(self::TYPED, $line, $match) !== 1) {
            return null;
        }

        $end = self::typeEnd($line, strlen($match[0]));

        if (preg_match('/\G\s+(&|\.\.\.)*\$\w+/', $line, $variable, 0, $end) === 1) {
            $end += strlen($variable[0]);
        }

        return new self($line, mb_strlen(substr($line, 0, $end)));
    }

    /**
     * The items of the outermost array shape, each on a line of its own.
     *
     * @return ?list<string> null where the type fits, or has no shape
     */
    public function exploded(int $width): ?array
    {
        $type = mb_substr($this->line, 0, $this->prefix);
        $lines = mb_strlen($type) > $width ? self::opened($type, '', $width) : null;

        if ($lines !== null) {
            $lines[count($lines) - 1] .= mb_substr($this->line, $this->prefix);
        }

        return $lines;
    }

    /**
     * @return ?non-empty-list<string> the line of an array shape with the items of a shape within
     *     it on lines of their own
     */
    public static function explodedItem(string $line, int $width): ?array
    {
        $item = ltrim($line);

        return self::opened($item, str_repeat(' ', strlen($line) - strlen($item)), $width);
    }

    /** @return ?non-empty-list<string> the text with the items of its first shape on lines of their own */
    private static function opened(string $text, string $indent, int $width): ?array
    {
        $open = strpos($text, '{');
        $close = $open === false ? null : self::matching($text, $open);

        if ($open === false || $close === null) {
            return null;
        }

        $items = self::items(substr($text, $open + 1, $close - $open - 1));
        $isKeyed = preg_match('/^\w+\??:/', $items[0]) === 1;
        $isWide = max(array_map(mb_strlen(...), $items)) + strlen($indent) + 5 > $width;
        $lines = $isKeyed || $isWide
            ? self::listed($items, "{$indent}    ", $width)
            : self::filled($items, "{$indent}   ", $width);

        return [$indent.substr($text, 0, $open + 1), ...$lines, $indent.substr($text, $close)];
    }

    /**
     * @param list<string> $items
     * @return list<string>
     */
    private static function listed(array $items, string $indent, int $width): array
    {
        $lines = [];

        foreach ($items as $item) {
            $item .= str_starts_with($item, '...') ? '' : ',';
            $opened = mb_strlen($indent.$item) > $width ? self::opened($item, $indent, $width) : null;
            array_push($lines, ...$opened ?? [$indent.$item]);
        }

        return $lines;
    }

    /**
     * @param list<string> $items
     * @return list<string>
     */
    private static function filled(array $items, string $indent, int $width): array
    {
        $lines = [];
        $line = $indent;

        foreach ($items as $item) {
            if (mb_strlen("{$line} {$item},") > $width && $line !== $indent) {
                $lines[] = $line;
                $line = $indent;
            }

            $line .= " {$item},";
        }

        return [...$lines, $line];
    }

    /** @return non-empty-list<string> */
    private static function items(string $shape): array
    {
        $items = [''];
        $depth = 0;

        foreach (str_split($shape) as $character) {
            $depth += match ($character) {
                '{', '<', '(', '[' => 1,
                '}', '>', ')', ']' => -1,
                default => 0,
            };

            if ($character === ',' && $depth === 0) {
                $items[] = '';

                continue;
            }

            $items[count($items) - 1] .= $character;
        }

        return array_map(trim(...), $items);
    }

    private static function typeEnd(string $line, int $start): int
    {
        for ($i = $start, $depth = 0; $i < strlen($line); $i++) {
            $depth += match ($line[$i]) {
                '{', '<', '(', '[' => 1,
                '}', '>', ')', ']' => -1,
                default => 0,
            };

            // `callable(int): string` and `A | B` go on behind the space.
            if (
                $depth === 0
                && $line[$i] === ' '
                && ! in_array($line[$i - 1], [':', '|', '&'], true)
                && preg_match('/\G +[|&] /', $line, $m, 0, $i) !== 1
            ) {
                return $i;
            }
        }

        return strlen($line);
    }

    private static function matching(string $text, int $open): ?int
    {
        for ($i = $open, $depth = 0; $i < strlen($text); $i++) {
            $depth += match ($text[$i]) {
                '{' => 1,
                '}' => -1,
                default => 0,
            };

            if ($depth === 0) {
                return $i;
            }
        }

        return null;
    }
}
