<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel;

use Headroom\Doctor\Application\CodeSearch;
use PhpToken;

/**
 * Calls in the code of an application that compute a missing value of the cache.
 *
 * @internal
 */
final readonly class CacheRememberCalls
{
    private const DIRECTORIES = ['app', 'routes'];

    /** @param list<string> $places file:line below the base path, the first ones */
    public function __construct(public array $places) {}

    public static function below(string $base): self
    {
        return new self(CodeSearch::below(
            $base,
            self::DIRECTORIES,
            'remember',
            static fn (array $tokens, int $at): bool => self::isCall($tokens, $at),
        ));
    }

    /**
     * Cache::remember(), cache()->remember() and ->store(...)->remember(); a collection or a builder may have a
     * method of that name too.
     *
     * @param list<PhpToken> $tokens
     */
    private static function isCall(array $tokens, int $at): bool
    {
        if (
            ! $tokens[$at]->is(T_STRING)
            || strcasecmp($tokens[$at]->text, 'remember') !== 0
            || ($tokens[$at + 1] ?? null)?->text !== '('
        ) {
            return false;
        }

        $before = $tokens[$at - 1] ?? null;

        if ($before?->is(T_DOUBLE_COLON) === true) {
            $class = $tokens[$at - 2] ?? null;

            return $class !== null && preg_match('/(?:\A|\\\\)Cache\z/', $class->text) === 1;
        }

        if ($before?->is([T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR]) !== true) {
            return false;
        }

        // With blanks, so that `return cache()` stays two words.
        $text = implode(
            ' ',
            array_map(
                static fn (PhpToken $token): string => $token->text,
                array_slice($tokens, max(0, $at - 24), min(24, $at)),
            ),
        );

        return preg_match(
            '/(?:\bcache \( [^()]*\) |\bCache :: (?:store|driver|tags|memo) \( [^()]*\) )'
            .'(?:\??-> \w+ \( [^()]*\) )*\??->\z/i',
            $text,
        ) === 1;
    }
}
