<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use Headroom\Core\Date;
use Headroom\Core\Dates;
use Headroom\Core\Json;
use Headroom\Core\Rows;

use function array_combine;
use function array_slice;
use function implode;
use function in_array;
use function is_bool;
use function is_float;
use function is_int;
use function is_string;
use function json_decode;
use function preg_match;
use function preg_match_all;
use function str_contains;
use function strlen;

/**
 * What lines that are alike have in common: their columns, in order, and what kind of value each holds.
 *
 * As a regular expression, which PCRE compiles, it reads them much faster than json_decode() does. It gives what that
 * would give, or nothing: whatever is written in another way than the codec's is left to it.
 *
 * @internal
 *
 * @phpstan-import-type Column from Rows
 * @phpstan-import-type Value from Rows
 */
final readonly class RowSchema
{
    private const TEXT = '((?:[^"\\\\\x00-\x1f]++|\\\\[^\x00-\x1f])*+)';

    /** PCRE warns of one that compiles to more than 64 KiB, and Laravel makes an exception of that. From 26,000 on it did. */
    private const MAX_PATTERN_BYTES = 16_384;

    /** A value as JSON has it, by kind, with one group around what is kept of it. Integers of 19 digits may be floats. */
    private const FORMS = [
        'text' => '(?:"'.self::TEXT.'"|null)',
        'integer' => '(?:(0|-?[1-9]\d{0,17}+)|null)',
        'float' => '(?:(-?(?:0|[1-9]\d*+)(?:\.\d++(?:[eE][+-]?\d++)?+|[eE][+-]?\d++))|null)',
        'boolean' => '(?:(true|false)|null)',
        'json' => '(?:\{"j":"'.self::TEXT.'"\}|null)',
        'date' => '(?:\{"d":"'.self::TEXT.'"\}|null)',
    ];

    /**
     * @param non-empty-string $pattern
     * @param non-empty-array<string, key-of<self::FORMS>> $kinds by column name
     */
    private function __construct(public string $pattern, private array $kinds) {}

    /** @return ?self null when they are of no shape, or of too many columns, or PCRE has no compiler here and would be slower */
    public static function of(Rows $rows): ?self
    {
        $kinds = [];

        // There is no such setting where PCRE was built without it.
        foreach (filter_var(ini_get('pcre.jit'), FILTER_VALIDATE_BOOL) ? $rows->columns() ?? [] : [] as $name => $values) {
            $kind = $values instanceof Dates ? 'date' : self::kind($values);

            if ($kind === null) {
                return null;
            }

            $kinds[$name] = $kind;
        }

        if ($kinds === []) {
            return null;
        }

        $members = array_map(static fn (string|int $name, string $kind): string => preg_quote((string) json_encode("{$name}", Codec::FLAGS), '/').':'.self::FORMS[$kind], array_keys($kinds), $kinds);

        // A writer appends a space to keep frames aligned. The newline is said: a build of PCRE may take others for one.
        $pattern = '/(*LF)^\{'.implode(',', $members).'\} ?$/m';

        return strlen($pattern) > self::MAX_PATTERN_BYTES ? null : new self($pattern, $kinds);
    }

    /**
     * @param string $text lines, joined by "\n"
     * @param int<1, max> $count how many
     * @return ?Rows null when they are not all of this shape
     */
    public function read(string $text, int $count): ?Rows
    {
        if (preg_match_all($this->pattern, $text, $found, PREG_PATTERN_ORDER | PREG_UNMATCHED_AS_NULL) !== $count || ! self::isUtf8($text)) {
            return null;
        }

        $hasEscapes = str_contains($text, '\\');
        $columns = [];

        foreach (array_combine(array_keys($this->kinds), array_slice($found, 1)) as $name => $values) {
            /** @var list<?string> $values */
            $column = $this->values($this->kinds[$name], $values, $hasEscapes);

            if ($column === null) {
                return null;
            }

            $columns[$name] = $column;
        }

        return $columns === [] ? null : Rows::ofColumns($columns);
    }

    private static function isUtf8(string $text): bool
    {
        // ASCII is found out in half the time, and mostly it is.
        return preg_match('/[^\x00-\x7f]/', $text) !== 1 || preg_match('//u', $text) === 1;
    }

    /**
     * @param list<Value> $values
     * @return ?key-of<self::FORMS> of all of them; null for a kind that has no form, and for several
     */
    private static function kind(array $values): ?string
    {
        $kind = null;

        foreach ($values as $value) {
            $own = match (true) {
                $value === null => $kind,
                is_string($value) => 'text',
                is_int($value) => 'integer',
                is_float($value) => 'float',
                is_bool($value) => 'boolean',
                $value instanceof Json => 'json',
                $value instanceof Date => 'date',
                default => '',
            };

            if ($own === '' || ($kind !== null && $own !== $kind)) {
                return null;
            }

            $kind = $own;
        }

        // Where all are null any will do.
        return $kind ?? 'integer';
    }

    /**
     * @param key-of<self::FORMS> $kind
     * @param list<?string> $texts
     * @return ?Column null when one is none of that kind after all
     */
    private function values(string $kind, array $texts, bool $hasEscapes): Dates|array|null
    {
        if ($hasEscapes && ($kind === 'text' || $kind === 'json' || $kind === 'date')) {
            foreach ($texts as $number => $text) {
                if ($text !== null && str_contains($text, '\\')) {
                    $unescaped = json_decode("\"{$text}\"");

                    if (! is_string($unescaped)) {
                        return null;
                    }

                    $texts[$number] = $unescaped;
                }
            }
        }

        if ($kind === 'text') {
            return $texts;
        }

        if ($kind === 'date' && ! in_array(null, $texts, true)) {
            /** @var list<string> $texts */
            return Dates::parse($texts);
        }

        $values = [];

        // A closure for each would cost as much as all the rest.
        foreach ($texts as $text) {
            $value = $text === null ? null : match ($kind) {
                'integer' => (int) $text,
                'float' => (float) $text,
                'boolean' => $text === 'true',
                'json' => new Json($text),
                'date' => Date::parse($text),
            };

            if ($value === null && $text !== null) {
                return null;
            }

            $values[] = $value;
        }

        return $values;
    }
}
