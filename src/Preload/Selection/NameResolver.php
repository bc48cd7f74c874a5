<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use PhpToken;

/**
 * Resolves names by the namespace and the imports at one place of a file.
 *
 * @link https://www.php.net/manual/en/language.namespaces.rules.php
 *
 * @internal
 */
final readonly class NameResolver
{
    /** @param array<string, string> $imports full names by alias in lower case */
    public function __construct(private string $namespace, private array $imports = []) {}

    /** @param list<PhpToken> $tokens of a use statement, without `use` and the semicolon */
    public function with(array $tokens): self
    {
        if (($tokens[0] ?? null)?->is([T_FUNCTION, T_CONST]) === true) {
            return $this;
        }

        $imports = $this->imports;
        $group = '';

        for ($i = 0; $i < count($tokens); $i++) {
            if ($tokens[$i]->is([T_FUNCTION, T_CONST])) {
                $i += ($tokens[$i + 2] ?? null)?->is(T_AS) === true ? 3 : 1; // a function or constant of a group

                continue;
            }

            if (! $tokens[$i]->is([T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED])) {
                continue;
            }

            $name = ltrim($tokens[$i]->text, '\\');

            // use A\B\{C, D as E}
            if (($tokens[$i + 1] ?? null)?->is(T_NS_SEPARATOR) === true) {
                $group = "{$name}\\";

                continue;
            }

            $isRenamed = ($tokens[$i + 1] ?? null)?->is(T_AS) === true;
            $short = $isRenamed ? $tokens[$i + 2]->text : substr((string) strrchr("\\{$name}", '\\'), 1);
            $imports[strtolower($short)] = $group.$name;
            $i += $isRenamed ? 2 : 0;
        }

        return new self($this->namespace, $imports);
    }

    public function qualify(string $name): string
    {
        return $this->namespace === '' ? $name : "{$this->namespace}\\{$name}";
    }

    public function resolve(PhpToken $token): string
    {
        if ($token->is(T_NAME_FULLY_QUALIFIED)) {
            return substr($token->text, 1);
        }

        if ($token->is(T_NAME_RELATIVE)) {
            return $this->qualify(substr($token->text, strlen('namespace\\')));
        }

        [$first, $rest] = [...explode('\\', $token->text, 2), ''];
        $imported = $this->imports[strtolower($first)] ?? null;

        return match (true) {
            $imported === null => $this->qualify($token->text),
            $rest === '' => $imported,
            default => "{$imported}\\{$rest}",
        };
    }
}
