<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\CodeSearch;
use PhpToken;

/**
 * Queued jobs, listeners and notifications in the code of the application with a literal $timeout.
 *
 * @internal
 */
final readonly class JobClasses
{
    private const MAX_CLASSES = 100;

    private const PROPERTY = '/(?:^| )(?:public|var) (?:static |readonly )*(?:\? ?)?(?:int |string )?\z/';

    /** @param list<JobClass> $classes the first ones */
    public function __construct(public array $classes) {}

    public static function below(string $base): self
    {
        $classes = [];

        foreach (CodeSearch::files($base, ['app'], '$timeout') as $path => $tokens) {
            $isQueued = str_starts_with($path, 'app/Jobs/') || self::mentions($tokens, 'ShouldQueue');
            $at = $isQueued ? self::property($tokens, '$timeout', T_LNUMBER) : null;

            if ($at !== null && count($classes) < self::MAX_CLASSES) {
                $connection = self::property($tokens, '$connection', T_CONSTANT_ENCAPSED_STRING);
                $classes[] = new JobClass(
                    basename($path, '.php'),
                    (int) strtr($tokens[$at]->text, ['_' => '']),
                    $connection === null ? null : trim($tokens[$connection]->text, '\'"'),
                    "{$path}:{$tokens[$at]->line}",
                );
            }
        }

        return new self($classes);
    }

    /** @param list<PhpToken> $tokens */
    private static function mentions(array $tokens, string $interface): bool
    {
        foreach ($tokens as $token) {
            if (
                $token->is(
                    [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED],
                ) && str_contains($token->text, $interface)
            ) {
                return true;
            }
        }

        return false;
    }

    /**
     * @param list<PhpToken> $tokens
     * @return ?int position of its value if it is a literal; a variable or a parameter of a method is not a property
     */
    private static function property(array $tokens, string $name, int $literal): ?int
    {
        foreach ($tokens as $at => $token) {
            $isOne = $token->is(T_VARIABLE) && $token->text === $name && ($tokens[$at + 1] ?? null)?->text === '='
                && ($tokens[$at + 2] ?? null)?->is($literal) === true && ($tokens[$at + 3] ?? null)?->text === ';';
            $before = array_map(
                static fn (PhpToken $each): string => strtolower($each->text),
                array_slice($tokens, max(0, $at - 4), min(4, $at)),
            );

            if ($isOne && preg_match(self::PROPERTY, implode(' ', $before).' ') === 1) {
                return $at + 2;
            }
        }

        return null;
    }
}
