<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PhpToken;

/**
 * A source file as its tokens, blanks and comments left out.
 */
final readonly class Source
{
    private const BLANK = [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT];

    private const NAMES = [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED];

    /** @param list<PhpToken> $tokens */
    private function __construct(public string $code, private array $tokens) {}

    public static function fromFile(string $path): self
    {
        return self::fromCode((string) file_get_contents($path));
    }

    public static function fromCode(string $code): self
    {
        return new self($code, array_values(array_filter(
            PhpToken::tokenize($code),
            static fn (PhpToken $token): bool => ! $token->is(self::BLANK),
        )));
    }

    public function lines(): int
    {
        return substr_count($this->code, "\n") + (str_ends_with($this->code, "\n") ? 0 : 1);
    }

    public function declaresStrictTypes(): bool
    {
        return preg_match('/\A(#![^\n]+\n)?<\?php\s+declare\(strict_types=1\);/', $this->code) === 1;
    }

    /** @return iterable<PhpToken> */
    public function all(int ...$kinds): iterable
    {
        foreach ($this->tokens as $token) {
            if ($token->is(array_values($kinds))) {
                yield $token;
            }
        }
    }

    /** @return iterable<string, int<1, max>> lines that begin a statement, by name; a closure is named by its place */
    public function functions(): iterable
    {
        $continuations = Continuations::in($this->tokens);

        foreach ($this->tokens as $at => $token) {
            if (! $token->is(T_FUNCTION) || $this->is($at - 1, T_USE)) {
                continue;
            }

            $name = $this->nameAfter($at) ?? '{closure}';
            $end = $this->end($at);

            $lines = array_filter(
                range($token->line, $end),
                static fn (int $line): bool => ! isset($continuations[$line]),
            );

            yield "{$name}() in line {$token->line}" => max(1, count($lines));
        }
    }

    /** @return iterable<ClassLike> named ones */
    public function classes(): iterable
    {
        $namespace = '';

        foreach ($this->tokens as $at => $token) {
            if ($token->is(T_NAMESPACE)) {
                $namespace = $this->tokens[$at + 1]->text ?? '';
            }

            $name = $this->nameAfter($at);

            if (
                ! $token->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM])
                || $this->is($at - 1, T_DOUBLE_COLON)
                || $name === null
            ) {
                continue;
            }

            $modifiers = [];

            for ($before = $at - 1; $this->is($before, T_FINAL, T_ABSTRACT, T_READONLY); $before--) {
                $modifiers[] = $this->tokens[$before]->text;
            }

            yield new ClassLike($token->text, $namespace.'\\'.$name, $modifiers, $this->membersOf($at));
        }
    }

    /** @return iterable<PhpToken> names in "use function" */
    public function imports(): iterable
    {
        foreach ($this->tokens as $at => $token) {
            if ($token->is(self::NAMES) && $this->is($at - 1, T_FUNCTION) && $this->is($at - 2, T_USE)) {
                yield $token;
            }
        }
    }

    /** @return iterable<PhpToken> names of functions called, or imported by "use function" */
    public function calls(): iterable
    {
        foreach ($this->tokens as $at => $token) {
            if (! $token->is(self::NAMES)) {
                continue;
            }

            $called = $this->is($at + 1, '(')
                && ! $this->is(
                    $at - 1,
                    T_OBJECT_OPERATOR,
                    T_NULLSAFE_OBJECT_OPERATOR,
                    T_DOUBLE_COLON,
                    T_FUNCTION,
                    T_NEW,
                    T_ATTRIBUTE,
                );

            if ($called || ($this->is($at - 1, T_FUNCTION) && $this->is($at - 2, T_USE))) {
                yield $token;
            }
        }
    }

    /** @return list<PhpToken> what stands in the brackets after this token */
    public function argumentsOf(PhpToken $name): array
    {
        $at = (int) array_search($name, $this->tokens, true);
        $arguments = [];

        if (! $this->is($at + 1, '(')) {
            return [];
        }

        for ($depth = 1, $at += 2; isset($this->tokens[$at]); $at++) {
            $depth += $this->is($at, '(', '[') ? 1 : ($this->is($at, ')', ']') ? -1 : 0);

            if ($depth === 0) {
                break;
            }

            $arguments[] = $this->tokens[$at];
        }

        return $arguments;
    }

    /** @return iterable<PhpToken> names after "new" */
    public function instantiations(): iterable
    {
        foreach ($this->tokens as $at => $token) {
            if ($token->is(self::NAMES) && $this->is($at - 1, T_NEW)) {
                yield $token;
            }
        }
    }

    private function is(int $at, int|string ...$kinds): bool
    {
        return isset($this->tokens[$at]) && $this->tokens[$at]->is(array_values($kinds));
    }

    private function nameAfter(int $at): ?string
    {
        // "function &name" hands back a reference.
        $at += $this->is($at + 1, T_AMPERSAND_NOT_FOLLOWED_BY_VAR_OR_VARARG, '&') ? 2 : 1;
        $next = $this->tokens[$at] ?? null;

        // Any word may name a method, keywords too.
        return $next !== null && preg_match('/\A[a-z_]\w*\z/i', $next->text) === 1 ? $next->text : null;
    }

    /** The line in which the body that begins after this token ends, or its own declaration where it has none. */
    private function end(int $at): int
    {
        $depth = 0;
        $line = $this->tokens[$at]->line;

        for (; isset($this->tokens[$at]); $at++) {
            $token = $this->tokens[$at];
            $line = $token->line;

            if ($depth === 0 && $token->is(';')) {
                break;
            }

            $depth += $token->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES]) ? 1 : 0;

            if ($token->is('}') && --$depth === 0) {
                break;
            }
        }

        return $line;
    }

    /** @return list<string> methods by name, and "use" for traits */
    private function membersOf(int $at): array
    {
        $members = [];
        $depth = 0;

        for (; isset($this->tokens[$at]); $at++) {
            $token = $this->tokens[$at];
            $depth += $token->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES]) ? 1 : 0;

            if ($token->is('}') && --$depth === 0) {
                break;
            }

            if ($depth === 1 && $token->is(T_USE) && ! $this->is($at - 1, ')')) {
                $members[] = 'use';
            }

            if ($depth === 1 && $token->is(T_FUNCTION) && ($name = $this->nameAfter($at)) !== null) {
                $members[] = $name;
            }
        }

        return $members;
    }
}
