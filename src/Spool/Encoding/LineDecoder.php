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
 * Decodes many lines at once. It remembers the schema of the last lines, because the next lines mostly have the same
 * one.
 *
 * @internal
 */
final class LineDecoder
{
    /** Few enough that the intermediate strings and arrays stay in the processor's cache. */
    private const LINES_AT_ONCE = 100;

    /**
     * Limit for several lines together, because an array can take sixty times the memory of its text. A single line may
     * have Codec::MAX_LINE_BYTES.
     */
    private const BYTES_AT_ONCE = 524_288;

    private ?RowSchema $schema = null;

    private readonly RegexCache $regexCache;

    public function __construct(private readonly Codec $codec, ?RegexCache $regexCache = null)
    {
        $this->regexCache = $regexCache ?? RegexCache::ofProcess();
    }

    /**
     * @param non-empty-list<string> $lines
     * @param int $replaced is increased by the number of values that were altered to be UTF-8
     * @return ?Rows null when the lines differ in columns, one has an id of its own, or one cannot be decoded:
     *     Codec::decodeRow() tells which line
     */
    public function rows(array $lines, int &$replaced): ?Rows
    {
        [$parts, $altered] = [[], 0];

        foreach (self::portions($lines) as $portion) {
            $text = implode("\n", $portion);
            // Several lines are checked as one text: a loop over them would cost more than it saves.
            $isShort = strlen($text) <= (count($portion) === 1 ? Codec::MAX_LINE_BYTES : self::BYTES_AT_ONCE);
            $rows = $isShort ? $this->schema?->read($text, count($portion)) : null;

            if ($rows === null) {
                $rows = $isShort ? $this->codec->decodeRows($portion, $altered) : null;
                $this->schema = $rows === null ? null : $this->schemaOf($rows);
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

            // The split assumes that lines have about the same length. A portion that is still too long is left to
            // Codec::decodeRow(), one line at a time.
            yield from $bytes <= self::BYTES_AT_ONCE
                ? [$chunk]
                : array_chunk($chunk, max(1, intdiv(count($chunk) * self::BYTES_AT_ONCE, 2 * $bytes)));
        }
    }

    private function schemaOf(Rows $rows): ?RowSchema
    {
        $schema = RowSchema::of($rows);

        return $schema !== null && $this->regexCache->admits($schema->pattern) ? $schema : null;
    }
}
