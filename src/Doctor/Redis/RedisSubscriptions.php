<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\CodeSearch;
use PhpToken;

/**
 * Calls of Redis::subscribe() and Redis::psubscribe() in the code of the application.
 *
 * @internal
 */
final readonly class RedisSubscriptions
{
    private const MAX_CALLS = 20;

    /** @param list<RedisSubscription> $calls the first ones */
    public function __construct(public array $calls) {}

    public static function below(string $base): self
    {
        $calls = [];

        foreach (CodeSearch::files(
            $base,
            ['app', 'routes', 'src', 'packages', 'modules'],
            'subscribe',
        ) as $path => $tokens) {
            $setsDefault = self::setsDefault($tokens);

            foreach ($tokens as $at => $token) {
                $connection = self::connection($tokens, $at);

                if ($connection !== false && count($calls) < self::MAX_CALLS) {
                    $calls[] = new RedisSubscription($connection, "{$path}:{$token->line}", $setsDefault);
                }
            }
        }

        return new self($calls);
    }

    /**
     * @param list<PhpToken> $tokens
     * @return string|null|false null if the code computes it; false if there is no subscription at this token
     */
    private static function connection(array $tokens, int $at): string|false|null
    {
        $isCall = $tokens[$at]->is(T_STRING) && ($tokens[$at + 1] ?? null)?->text === '('
            && in_array(strtolower($tokens[$at]->text), ['subscribe', 'psubscribe'], true);
        $statement = $isCall ? self::before($tokens, $at) : [];
        $isRedis = false;
        $connection = 'default';

        foreach ($statement as $number => $token) {
            $isName = $token->is([T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED]);
            $text = strtolower($token->text);
            $isFacade = ($statement[$number + 1] ?? null)?->is(T_DOUBLE_COLON) === true
                && preg_match('/(?:\A|\\\\)redis\z/', $text) === 1;
            $isRedis = $isRedis || ($isName && $isFacade) || in_array($text, ["'redis'", '"redis"'], true);

            if ($isName && $text === 'connection') {
                $name = $statement[$number + 2] ?? null;
                $connection = match (true) {
                    $name?->text === ')' => 'default',
                    $name?->is(T_CONSTANT_ENCAPSED_STRING) === true => trim($name->text, '\'"'),
                    default => null,
                };
            }
        }

        return $isRedis ? $connection : false;
    }

    /**
     * @param list<PhpToken> $tokens
     * @return list<PhpToken> of the statement, before the call
     */
    private static function before(array $tokens, int $at): array
    {
        $from = $at;

        while ($from > 0 && ! in_array($tokens[$from - 1]->text, [';', '{', '}'], true)) {
            $from--;
        }

        return array_slice($tokens, $from, $at - $from);
    }

    /** @param list<PhpToken> $tokens */
    private static function setsDefault(array $tokens): bool
    {
        foreach ($tokens as $at => $token) {
            if (
                strtolower($token->text) === 'ini_set'
                && str_contains($tokens[$at + 2]->text ?? '', 'default_socket_timeout')
            ) {
                return true;
            }
        }

        return false;
    }
}
