<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use Generator;
use Headroom\Core\Rows;

use function array_chunk;
use function count;
use function implode;
use function intdiv;
use function max;
use function strlen;

/**
 * Decodes many lines at once. It remembers of what shape the last ones were, since the next ones mostly are of the same.
 *
 * @internal
 */
final class LineDecoder
{
    /** Few enough for what is made of them on the way to stay in the processor's cache. */
    private const LINES_AT_ONCE = 100;

    /** Of several lines: an array can take sixty times the memory of its text. One line may be as long as a line may be. */
    private const BYTES_AT_ONCE = 524_288;

    private ?RowSchema $shape = null;

    private readonly RegexCache $budget;

    public function __construct(private readonly Codec $codec, ?RegexCache $budget = null)
    {
        $this->budget = $budget ?? RegexCache::ofProcess();
    }

    /**
     * @param non-empty-list<string> $lines
     * @param int $replaced how many values were altered to be UTF-8, added to
     * @return ?Rows null when they have not all the same columns, or one has an id of its own, or can not be read: Codec::decodeRow() tells which
     */
    public function rows(array $lines, int &$replaced): ?Rows
    {
        [$parts, $altered] = [[], 0];

        foreach (self::portions($lines) as $portion) {
            $text = implode("\n", $portion);
            // Whether a single line among others is too long is not worth a loop.
            $isShort = strlen($text) <= (count($portion) === 1 ? Codec::MAX_LINE_BYTES : self::BYTES_AT_ONCE);
            $rows = $isShort ? $this->shape?->read($text, count($portion)) : null;

            if ($rows === null) {
                $rows = $isShort ? $this->codec->decodeRows($portion, $altered) : null;
                $this->shape = $rows === null ? null : $this->shapeOf($rows);
            }

            if ($rows === null) {
                return null;
            }

            $parts[] = $rows;
        }

        $rows = $parts === [] ? null : Rows::join($parts);
        $replaced += $rows === null ? 0 : $altered;

        return $rows;
    }

    /**
     * @param non-empty-list<string> $lines
     * @return Generator<int, non-empty-list<string>>
     */
    private static function portions(array $lines): Generator
    {
        foreach (array_chunk($lines, self::LINES_AT_ONCE) as $chunk) {
            $bytes = strlen(implode('', $chunk));

            // Lines are mostly about as long as each other; where they are not, each is read alone.
            yield from $bytes <= self::BYTES_AT_ONCE ? [$chunk] : array_chunk($chunk, max(1, intdiv(count($chunk) * self::BYTES_AT_ONCE, 2 * $bytes)));
        }
    }

    private function shapeOf(Rows $rows): ?RowSchema
    {
        $shape = RowSchema::of($rows);

        return $shape !== null && $this->budget->takes($shape->pattern) ? $shape : null;
    }
}
