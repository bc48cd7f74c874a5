<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use ParseError;
use PhpToken;

/**
 * Reads the declarations of a file from its tokens. It runs and loads nothing.
 *
 * @internal
 */
final class SourceReader
{
    private const NAMES = [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED, T_NAME_RELATIVE];

    private const MODIFIERS = [T_ABSTRACT, T_FINAL, T_READONLY];

    /** Calls of these as a statement only load another class: Symfony's Request begins with several. */
    private const HINTS = ['class_exists', 'interface_exists', 'trait_exists', 'enum_exists'];

    /** The id of a one-character token is its code. The text alone would also match a brace in a string. */
    private const OPEN = 0x7B;

    private const CLOSE = 0x7D;

    private const SEMICOLON = 0x3B;

    private int $at = 0;

    /** @var list<string> */
    private array $hints = [];

    private NameResolver $names;

    /** @var array<string, Declaration> by name in lower case */
    private array $declarations = [];

    /** @param list<PhpToken> $tokens without whitespace and comments */
    private function __construct(private readonly array $tokens)
    {
        $this->names = new NameResolver('');
    }

    /** @throws UnableToRead */
    public static function read(string $path): SourceFile
    {
        $code = @file_get_contents($path);

        return $code === false ? throw UnableToRead::notReadable($path) : self::parse($code, $path);
    }

    /** @throws UnableToRead */
    public static function parse(string $code, string $path): SourceFile
    {
        try {
            $tokens = PhpToken::tokenize($code, TOKEN_PARSE);
        } catch (ParseError $e) {
            throw UnableToRead::doesNotParse($path, $e);
        }

        return (new self(array_values(array_filter(
            $tokens,
            static fn (PhpToken $token): bool => ! $token->isIgnorable(),
        ))))->file();
    }

    private function file(): SourceFile
    {
        $impurity = null;

        while ($impurity === null && ($token = $this->token()) !== null) {
            $impurity = $this->statement($token);
        }

        // The mode `autoload` preloads such a file, too, and needs its classes.
        while (($token = $this->token()) !== null) {
            $this->afterImpurity($token);
        }

        return new SourceFile(array_values($this->declarations), $impurity, array_values(array_unique($this->hints)));
    }

    /** After code that is no declaration, only declarations are read, also those in conditions. */
    private function afterImpurity(PhpToken $token): void
    {
        $ignored = [];
        $isImport = $token->is(T_USE) && $this->token(1)?->is(0x28) !== true;

        if ($isImport || $token->is([T_NAMESPACE, T_ATTRIBUTE]) || $this->isDeclared($token, $this->at)) {
            $this->statement($token);

            return;
        }

        $this->at++;

        if ($this->isAnonymous($token)) {
            $this->anonymous($ignored);
        } elseif ($token->is(T_FUNCTION)) {
            $this->skipFunction();
        }
    }

    private function skipFunction(): void
    {
        $ignored = [];

        while ($this->token()?->is(self::OPEN) === false) {
            $this->at++;
        }

        $this->body($ignored);
    }

    /** @return ?string why the file does more than declare classes */
    private function statement(PhpToken $token): ?string
    {
        return match (true) {
            $token->is([self::SEMICOLON, self::CLOSE, T_CLOSE_TAG, T_OPEN_TAG, ...self::MODIFIERS]) => $this->step(),
            $token->is(T_ATTRIBUTE) => $this->attribute(),
            $token->is(T_DECLARE) => $this->declare(),
            $token->is(T_NAMESPACE) => $this->namespace(),
            $token->is(T_USE) => $this->import(),
            $token->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) => $this->declaration(),
            $token->is(T_FUNCTION) => "it declares a function in line {$token->line}",
            $token->is(T_CONST) => "it declares a constant in line {$token->line}",
            $token->is(T_INLINE_HTML) => trim($token->text) === ''
                ? $this->step()
                : "it prints text in line {$token->line}",
            default => $this->isHint($token)
                ? $this->hint()
                : "it runs code outside of its classes in line {$token->line}",
        };
    }

    private function declare(): ?string
    {
        $line = $this->token()->line ?? 0;
        $name = strtolower($this->token(2)->text ?? '');

        return $name === 'strict_types' && $this->token(5)?->is(0x29) === true
            ? $this->step(self::SEMICOLON)
            : "it has declare({$name}) in line {$line}";
    }

    private function namespace(): null
    {
        $this->at++;
        $name = $this->token()?->is(self::NAMES) === true ? $this->token()->text : '';
        $this->names = new NameResolver($name);
        $this->at += $name === '' ? 1 : 2; // the name, and the semicolon or brace after it

        return null;
    }

    private function import(): null
    {
        $from = $this->at + 1;
        $this->step(self::SEMICOLON);
        $this->names = $this->names->with(array_slice($this->tokens, $from, $this->at - 1 - $from));

        return null;
    }

    private function declaration(): ?string
    {
        $this->at++;
        $name = $this->token()->text ?? '';
        $this->at++;
        $ancestors = $this->head();
        $impurity = $this->body($ancestors);
        $declaration = new Declaration($this->names->qualify($name), array_values(array_unique($ancestors)));
        // A condition may declare another class with the same name.
        $this->declarations[strtolower($declaration->name)] ??= $declaration;

        return $impurity;
    }

    /**
     * @return list<string> the names after extends and implements, up to the brace, without the type of an enum
     */
    private function head(): array
    {
        $ancestors = [];
        $isType = false;

        while (($token = $this->token()) !== null && ! $token->is(self::OPEN)) {
            $isType = $token->is(0x3A) || ($isType && ! $token->is(T_IMPLEMENTS));

            if ($token->is(self::NAMES) && ! $isType) {
                $ancestors[] = $this->names->resolve($token);
            }

            $this->at++;
        }

        return $ancestors;
    }

    /**
     * Reads from an opening brace to its closing brace.
     *
     * @param list<string> $ancestors receives its traits, and the ancestors of anonymous classes inside
     */
    private function body(array &$ancestors): ?string
    {
        $depth = 0;
        $impurity = null;

        while (($token = $this->token()) !== null) {
            $this->at++;

            if ($token->is([self::OPEN, T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
                $depth++;
            } elseif ($token->is(self::CLOSE) && --$depth === 0) {
                break;
            } elseif ($token->is(T_USE) && $depth === 1) {
                $this->traits($ancestors);
            } elseif ($this->isAnonymous($token)) {
                $impurity = $this->anonymous($ancestors) ?? $impurity;
            } elseif ($this->isDeclared($token, $this->at - 1)) {
                $impurity = "it declares a class in a function in line {$token->line}";
            }
        }

        return $impurity;
    }

    /** @param list<string> $ancestors */
    private function traits(array &$ancestors): void
    {
        while (($token = $this->token()) !== null && ! $token->is([self::SEMICOLON, self::OPEN])) {
            if ($token->is(self::NAMES)) {
                $ancestors[] = $this->names->resolve($token);
            }

            $this->at++;
        }
    }

    /**
     * Reads what follows `new`: attributes, readonly, class, the arguments of the constructor, head and body.
     *
     * @param list<string> $ancestors
     */
    private function anonymous(array &$ancestors): ?string
    {
        $this->at = $this->afterModifiers($this->at) + 1;

        if ($this->token()?->is(0x28) === true) {
            $this->arguments($ancestors);
        }

        $ancestors = [...$ancestors, ...$this->head()];

        return $this->body($ancestors);
    }

    /** @param list<string> $ancestors of anonymous classes among the arguments */
    private function arguments(array &$ancestors): void
    {
        $depth = 0;

        while (($token = $this->token()) !== null) {
            $this->at++;

            if ($token->is(0x28)) {
                $depth++;
            } elseif ($token->is(0x29) && --$depth === 0) {
                return;
            } elseif ($this->isAnonymous($token)) {
                $this->anonymous($ancestors);
            }
        }
    }

    /** Whether an anonymous class begins here. The reader has already passed the token. */
    private function isAnonymous(PhpToken $token): bool
    {
        return $token->is(T_NEW) && ($this->tokens[$this->afterModifiers($this->at)] ?? null)?->is(T_CLASS) === true;
    }

    /** Whether a named class begins here; Name::class does not declare one. */
    private function isDeclared(PhpToken $token, int $at): bool
    {
        return $token->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM])
            && ($this->tokens[$at - 1] ?? null)?->is([T_DOUBLE_COLON, T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR])
                !== true;
    }

    private function afterModifiers(int $at): int
    {
        while (($this->tokens[$at] ?? null)?->is([T_ATTRIBUTE, ...self::MODIFIERS]) === true) {
            $at = $this->tokens[$at]->is(T_ATTRIBUTE) ? $this->afterAttribute($at) : $at + 1;
        }

        return $at;
    }

    private function afterAttribute(int $at): int
    {
        $depth = 0;

        do {
            $token = $this->tokens[$at++] ?? null;
            $depth += match (true) {
                $token?->is([T_ATTRIBUTE, 0x5B]) === true => 1,
                $token?->is(0x5D) === true => -1,
                default => 0,
            };
        } while ($token !== null && $depth > 0);

        return $at;
    }

    private function attribute(): null
    {
        $this->at = $this->afterAttribute($this->at);

        return null;
    }

    /** class_exists(Name::class); */
    private function isHint(PhpToken $token): bool
    {
        $text = implode(
            '',
            array_map(
                static fn (PhpToken $token): string => $token->text,
                array_slice($this->tokens, $this->at + 1, 6),
            ),
        );

        return $token->is([T_STRING, T_NAME_FULLY_QUALIFIED])
            && in_array(strtolower(ltrim($token->text, '\\')), self::HINTS, true)
            && preg_match('/\A\([A-Za-z0-9_\\\\\x80-\xff]+::class\);/', $text) === 1;
    }

    private function hint(): null
    {
        $name = $this->token(2);

        if ($name !== null) {
            $this->hints[] = $this->names->resolve($name);
        }

        return $this->step(self::SEMICOLON);
    }

    /** @param ?int $to id of the token to skip past; null for the next token. ?> ends a statement, too. */
    private function step(?int $to = null): null
    {
        while ($to !== null && $this->token()?->is([$to, T_CLOSE_TAG]) === false) {
            $this->at++;
        }

        $this->at++;

        return null;
    }

    private function token(int $ahead = 0): ?PhpToken
    {
        return $this->tokens[$this->at + $ahead] ?? null;
    }
}
