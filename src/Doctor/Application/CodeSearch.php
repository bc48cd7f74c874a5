<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

use Closure;
use FilesystemIterator;
use PhpToken;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * Finds calls in the code of an application by its tokens, so calls in comments and strings do not count.
 *
 * @internal
 */
final readonly class CodeSearch
{
    private const MAX_CALLS = 20;

    private const MOST_BYTES = 1_048_576;

    /**
     * @param list<string> $directories below the base path
     * @param string $word in small letters; a file without it holds no such call
     * @param Closure(list<PhpToken>, int): bool $isCall whether one begins at this token
     * @return list<string> file:line below the base path, the first ones
     */
    public static function below(string $base, array $directories, string $word, Closure $isCall): array
    {
        $found = [];

        foreach (self::files($base, $directories, $word) as $name => $tokens) {
            foreach (self::linesOf($tokens, $isCall) as $line) {
                $found[] = "{$name}:{$line}";

                if (count($found) === self::MAX_CALLS) {
                    return $found;
                }
            }
        }

        return $found;
    }

    /**
     * @param list<string> $directories below the base path
     * @param string $word in small letters, that a file must have
     * @return iterable<string, list<PhpToken>> without comments and white space, by path below the base path
     */
    public static function files(string $base, array $directories, string $word): iterable
    {
        foreach ($directories as $directory) {
            $files = is_dir("{$base}/{$directory}") ? new RecursiveIteratorIterator(
                new RecursiveDirectoryIterator("{$base}/{$directory}", FilesystemIterator::SKIP_DOTS),
                RecursiveIteratorIterator::LEAVES_ONLY,
                RecursiveIteratorIterator::CATCH_GET_CHILD,
            ) : [];

            foreach ($files as $file) {
                if (! $file instanceof SplFileInfo || ! self::isCode($file)) {
                    continue;
                }

                $code = (string) @file_get_contents($file->getPathname());

                if (str_contains(strtolower($code), $word)) {
                    $tokens = array_filter(
                        PhpToken::tokenize($code),
                        static fn (PhpToken $token): bool => ! $token->isIgnorable(),
                    );

                    yield substr($file->getPathname(), strlen($base) + 1) => array_values($tokens);
                }
            }
        }
    }

    private static function isCode(SplFileInfo $file): bool
    {
        return $file->isFile() && str_ends_with($file->getFilename(), '.php') && $file->getSize() <= self::MOST_BYTES
            && ! str_contains($file->getPathname(), '/bootstrap/cache/');
    }

    /**
     * @param list<PhpToken> $tokens
     * @param Closure(list<PhpToken>, int): bool $isCall
     * @return list<int>
     */
    private static function linesOf(array $tokens, Closure $isCall): array
    {
        $lines = [];

        foreach ($tokens as $at => $token) {
            if ($isCall($tokens, $at)) {
                $lines[] = $token->line;
            }
        }

        return $lines;
    }
}
