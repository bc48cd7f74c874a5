<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Laravel;

use FilesystemIterator;
use PhpToken;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

use function count;
use function file_get_contents;
use function in_array;
use function is_dir;
use function str_contains;
use function str_ends_with;
use function strlen;
use function strtolower;
use function substr;

/**
 * Calls of env() in an application's own code, by its tokens: what stands in a comment or a string is none.
 *
 * @internal
 */
final readonly class EnvironmentCalls
{
    private const DIRECTORIES = ['app', 'routes', 'bootstrap', 'database'];

    private const MOST = 20;

    private const MOST_BYTES = 1_048_576;

    /** @return list<string> file:line below the base path, the first ones */
    public static function below(string $base): array
    {
        $found = [];

        foreach (self::DIRECTORIES as $directory) {
            foreach (is_dir("{$base}/{$directory}") ? new RecursiveIteratorIterator(new RecursiveDirectoryIterator("{$base}/{$directory}", FilesystemIterator::SKIP_DOTS), RecursiveIteratorIterator::LEAVES_ONLY, RecursiveIteratorIterator::CATCH_GET_CHILD) : [] as $file) {
                if ($file instanceof SplFileInfo && $file->isFile() && str_ends_with($file->getFilename(), '.php') && $file->getSize() <= self::MOST_BYTES && ! str_contains($file->getPathname(), '/bootstrap/cache/')) {
                    foreach (self::linesOf((string) @file_get_contents($file->getPathname())) as $line) {
                        $found[] = substr($file->getPathname(), strlen($base) + 1).":{$line}";

                        if (count($found) === self::MOST) {
                            return $found;
                        }
                    }
                }
            }
        }

        return $found;
    }

    /** @return list<int> */
    private static function linesOf(string $code): array
    {
        if (! str_contains(strtolower($code), 'env')) {
            return [];
        }

        $lines = [];
        $tokens = array_values(array_filter(PhpToken::tokenize($code), static fn (PhpToken $token): bool => ! $token->isIgnorable()));

        foreach ($tokens as $at => $token) {
            // Not a method of that name, nor its declaration.
            if ($token->is([T_STRING, T_NAME_FULLY_QUALIFIED]) && in_array(strtolower($token->text), ['env', '\\env'], true) && ($tokens[$at + 1] ?? null)?->text === '('
                && ! ($tokens[$at - 1] ?? $token)->is([T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_NEW])) {
                $lines[] = $token->line;
            }
        }

        return $lines;
    }
}
