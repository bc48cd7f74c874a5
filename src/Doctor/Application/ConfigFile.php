<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use Headroom\Doctor\Edit;
use PhpToken;

/**
 * Edits of one file of config/. It finds keys in literal nested arrays below `return`, and returns null for a key from
 * a variable, a call or a spread.
 *
 * @internal
 */
final readonly class ConfigFile
{
    /** @param list<PhpToken> $tokens without comments and white space */
    private function __construct(private string $path, private string $text, private array $tokens) {}

    /** @param ?string $known the text that the doctor has read; a file that has changed since gets no edit */
    private static function at(string $path, ?string $known): ?self
    {
        $text = is_file($path) ? @file_get_contents($path) : false;

        return $text === false || $text !== $known ? null : self::of($path, $text);
    }

    private static function of(string $path, string $text): self
    {
        return new self(
            $path,
            $text,
            array_values(
                array_filter(PhpToken::tokenize($text), static fn (PhpToken $token): bool => ! $token->isIgnorable()),
            ),
        );
    }

    /**
     * Changes all of them or none.
     *
     * @param array<string, string> $settings code of PHP, on one line, by key with dots
     * @return list<Edit>
     */
    public static function edits(string $path, ?string $known, array $settings): array
    {
        $file = self::at($path, $known);
        $edits = [];

        foreach ($settings as $key => $code) {
            $edit = $file?->set(explode('.', $key), $code);

            if ($file === null || $edit === null) {
                return [];
            }

            if ($edit->line === null || $edit->old === null || $edit->new === null) {
                $edits[] = $edit;

                continue;
            }

            // Two keys on one line are one edit.
            $edits["line {$edit->line}"] = Edit::replace(
                $path,
                $edit->line,
                ($edits["line {$edit->line}"] ?? $edit)->old ?? $edit->old,
                $edit->new,
            );
            $file = self::of($path, $edit->appliedTo($file->text));
        }

        return array_values($edits);
    }

    /**
     * @param list<string> $keys from the outermost
     * @param string $code of PHP, on one line
     */
    private function set(array $keys, string $code): ?Edit
    {
        $at = $this->returned();
        $last = array_pop($keys);

        while ($at !== null && $keys !== []) {
            $at = $this->valueOf(array_shift($keys), $this->elements($at));
        }

        $elements = $at === null ? null : $this->elements($at);

        if ($at === null || $elements === null || $last === null) {
            return null;
        }

        $value = $this->valueOf($last, $elements);

        if ($value !== null) {
            return $this->replaced($value, $this->endOf($value, $elements), $code);
        }

        // A spread before it is overridden by what comes after; an array without keys is a list.
        return isset($elements[$last]) ? null : $this->added($at, $elements, "'{$last}' => {$code}");
    }

    /** Of the file: functions before it have returns of their own. */
    private function returned(): ?int
    {
        $depth = 0;

        foreach ($this->tokens as $at => $token) {
            if ($depth === 0 && $token->is(T_RETURN)) {
                return $at + 1;
            }

            $depth += self::step($token->text);
        }

        return null;
    }

    private static function step(string $text): int
    {
        return match (true) {
            in_array($text, ['[', '(', '{', '${', '#['], true) => 1,
            in_array($text, [']', ')', '}'], true) => -1,
            default => 0,
        };
    }

    /**
     * @param int $at where an array begins
     * @return ?non-empty-array<array-key, array{value: ?int, end: int}> by key, in order: where its value begins, if
     *                                                                   that is what holds, and ends; null: no array
     *                                                                   is written there
     */
    private function elements(int $at): ?array
    {
        $open = isset($this->tokens[$at]) && $this->tokens[$at]->is(T_ARRAY) ? $at + 1 : $at;

        if (! isset($this->tokens[$open]) || ! in_array($this->tokens[$open]->text, ['[', '('], true)) {
            return null;
        }

        $elements = [];
        $depth = 0;
        $start = $open + 1;

        for ($i = $open, $most = count($this->tokens); $i < $most; $i++) {
            $text = $this->tokens[$i]->text;
            $depth += self::step($text);

            if ($depth === 0 || ($depth === 1 && $text === ',')) {
                if ($i > $start) {
                    [$key, $value] = $this->element($start);
                    // A spread value may contain any key, and then overrides the keys before it.
                    $elements = $key === '...' ? array_map(
                        static fn (array $element): array => ['value' => null] + $element,
                        $elements,
                    ) : $elements;
                    $elements[$key ?? count($elements)] = ['value' => $value, 'end' => $i - 1];
                }

                $start = $i + 1;
            }

            if ($depth === 0) {
                return [...$elements, ']' => ['value' => null, 'end' => $i]];
            }
        }

        return null;
    }

    /** @return array{?string, ?int} its key, '...' of a spread, and where its value begins */
    private function element(int $start): array
    {
        $first = $this->tokens[$start];

        return match (true) {
            $first->is(T_ELLIPSIS) => ['...', null],
            $first->is(T_CONSTANT_ENCAPSED_STRING)
            && ($this->tokens[$start + 1] ?? null)?->is(T_DOUBLE_ARROW) === true => [
                substr($first->text, 1, -1),
                $start + 2,
            ],
            default => [null, null],
        };
    }

    /** @param ?array<array-key, array{value: ?int, end: int}> $elements */
    private function valueOf(string $key, ?array $elements): ?int
    {
        return $elements[$key]['value'] ?? null;
    }

    /** @param array<array-key, array{value: ?int, end: int}> $elements */
    private function endOf(int $value, array $elements): int
    {
        foreach ($elements as $element) {
            if ($element['value'] === $value) {
                return $element['end'];
            }
        }

        return $value;
    }

    /** A literal alone: what a variable of the environment says is changed there. */
    private function replaced(int $from, int $to, string $code): ?Edit
    {
        $first = $this->tokens[$from];
        $last = $this->tokens[$to];
        $literal = trim(substr($this->text, $first->pos, $last->pos + strlen($last->text) - $first->pos));

        return preg_match(
            '/\A(?:-?[\d._]+|null|true|false|\'[^\'\\\\\n]*\'|"[^"\\\\$\n]*")\z/i',
            $literal,
        ) === 1 ? $this->edit($first->line, $first->pos, strlen($literal), $code) : null;
    }

    /** @param non-empty-array<array-key, array{value: ?int, end: int}> $elements */
    private function added(int $at, array $elements, string $element): ?Edit
    {
        $close = $this->tokens[$elements[']']['end']];
        $before = $this->tokens[$elements[']']['end'] - 1];
        $isEmpty = count($elements) === 1;
        $lines = explode("\n", $this->text);

        if ($before->line === $close->line) {
            return $this->edit($close->line, $close->pos, 0, ($isEmpty || $before->text === ',' ? '' : ', ').$element);
        }

        // Laravel's own files end each element with a comma.
        preg_match('/\A\s*/', $lines[$before->line - 1] ?? '', $indent);

        return $before->text !== ',' || $isEmpty
            ? null
            : Edit::insert($this->path, $close->line, ($indent[0] ?? '')."{$element},");
    }

    private function edit(int $line, int $pos, int $length, string $code): Edit
    {
        $start = (int) strrpos("\n".substr($this->text, 0, $pos), "\n");
        $old = rtrim(explode("\n", $this->text)[$line - 1], "\r");

        return Edit::replace($this->path, $line, $old, substr_replace($old, $code, $pos - $start, $length));
    }
}
