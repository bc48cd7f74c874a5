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
 * The columns that a run of lines has in common, in order, with the kind of value in each.
 *
 * The schema is a regular expression, and PCRE's compiled code reads such lines much faster than json_decode(). read()
 * returns the result of json_decode() or null. It returns null for JSON that the codec would have written in another
 * way; json_decode() then reads the lines.
 *
 * @internal
 *
 * @phpstan-import-type Column from Rows
 * @phpstan-import-type Value from Rows
 */
final readonly class RowSchema
{
    private const TEXT = '((?:[^"\\\\\x00-\x1f]++|\\\\[^\x00-\x1f])*+)';

    /**
     * PHP warns of a pattern that compiles to more than 64 KiB, and Laravel turns the warning into an exception.
     * Measured: patterns of 26,000 bytes and more did so.
     */
    private const MAX_PATTERN_BYTES = 16_384;

    /**
     * The JSON form of each kind of value, with one group around the part that is kept. An integer of 19 digits may not
     * fit an int, and json_decode() makes a float of it, so the form ends at 18 digits.
     */
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

    /**
     * @return ?self null when a column mixes kinds or has a kind without a form, when the pattern would be too long, or
     *     when PCRE has no JIT compiler here and would be slower than json_decode()
     */
    public static function of(Rows $rows): ?self
    {
        $kinds = [];

        // The setting does not exist where PCRE was built without its JIT compiler.
        foreach (filter_var(
            ini_get('pcre.jit'),
            FILTER_VALIDATE_BOOL,
        ) ? $rows->columns() ?? [] : [] as $name => $values) {
            $kind = $values instanceof Dates ? 'date' : self::kind($values);

            if ($kind === null) {
                return null;
            }

            $kinds[$name] = $kind;
        }

        if ($kinds === []) {
            return null;
        }

        $members = array_map(
            static fn (string|int $name, string $kind): string
                => preg_quote((string) json_encode("{$name}", Codec::FLAGS), '/').':'.self::FORMS[$kind],
            array_keys($kinds),
            $kinds,
        );

        // A writer may append a space to keep frames aligned. (*LF) names the newline, because a build of PCRE may have
        // another default.
        $pattern = '/(*LF)^\{'.implode(',', $members).'\} ?$/m';

        return strlen($pattern) > self::MAX_PATTERN_BYTES ? null : new self($pattern, $kinds);
    }

    /**
     * @param string $text lines, joined by "\n"
     * @param int<1, max> $count number of lines
     * @return ?Rows null when a line does not match this schema
     */
    public function read(string $text, int $count): ?Rows
    {
        if (
            preg_match_all($this->pattern, $text, $found, PREG_PATTERN_ORDER | PREG_UNMATCHED_AS_NULL) !== $count
            || ! self::isUtf8($text)
        ) {
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
        // Most text is ASCII, and this check takes half the time of the one for UTF-8.
        return preg_match('/[^\x00-\x7f]/', $text) !== 1 || preg_match('//u', $text) === 1;
    }

    /**
     * @param list<Value> $values
     * @return ?key-of<self::FORMS> the kind of all values; null when they differ in kind or their kind has no form
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

        // Each form accepts null, so any kind fits when all values are null.
        return $kind ?? 'integer';
    }

    /**
     * @param key-of<self::FORMS> $kind
     * @param list<?string> $texts
     * @return ?Column null when one of the texts is not a valid value of that kind
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

        // array_map() with a closure would double the cost of this method.
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
