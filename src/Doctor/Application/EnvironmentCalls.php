<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use PhpToken;

/**
 * Calls of env() in the code of an application.
 *
 * @internal
 */
final readonly class EnvironmentCalls
{
    private const DIRECTORIES = ['app', 'routes', 'bootstrap', 'database'];

    /** @return list<string> file:line below the base path, the first ones */
    public static function below(string $base): array
    {
        return CodeSearch::below($base, self::DIRECTORIES, 'env', self::isCall(...));
    }

    /** @param list<PhpToken> $tokens */
    private static function isCall(array $tokens, int $at): bool
    {
        // Not a method of that name, nor its declaration.
        return $tokens[$at]->is([T_STRING, T_NAME_FULLY_QUALIFIED])
            && in_array(strtolower($tokens[$at]->text), ['env', '\\env'], true)
            && ($tokens[$at + 1] ?? null)?->text === '('
            && ! ($tokens[$at - 1] ?? $tokens[$at])->is([
                T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_NEW,
            ]);
    }
}
