<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest\Work;

use ReflectionFunction;

/**
 * Counts the bytes that the intake hands to PHP's functions, which does not depend on the machine. Its classes are
 * loaded with counted functions in the place of those that they import.
 */
final class Meter
{
    public const PREFIXES = [
        'Headroom\\Collector\\Ingest\\',
        'Headroom\\Spool\\Encoding\\Codec',
        'Headroom\\Support\\Utf8Cut',
        'Headroom\\Support\\TerminalText',
    ];

    private const COUNTED = __NAMESPACE__.'\\Counted';

    /** Take a result by reference. */
    private const MATCHING = ['preg_match', 'preg_match_all'];

    public static int $bytes = 0;

    /** Has to come before any class of the intake is loaded. */
    public static function install(): void
    {
        spl_autoload_register(static function (string $class): void {
            $isCounted = array_filter(
                self::PREFIXES,
                static fn (string $prefix): bool => str_starts_with($class, $prefix),
            ) !== [];
            $file = dirname(__DIR__, 5).'/src/'.strtr(substr($class, strlen('Headroom\\')), '\\', '/').'.php';

            if (! $isCounted || ! is_file($file)) {
                return;
            }

            $source = (string) preg_replace_callback('/^use function (\w+);$/m', static function (array $m): string {
                self::define($m[1]);

                return 'use function '.self::COUNTED."\\{$m[1]};";
            }, (string) file_get_contents($file));
            eval(substr($source, strlen('<?php')));
        }, true, true);
    }

    /** @param array<array-key, mixed> $arguments */
    public static function pay(string $function, array $arguments, mixed $result): void
    {
        $offset = is_int($arguments[2] ?? null) ? $arguments[2] : 0;

        self::$bytes += 1 + match ($function) {
            'strlen',
            'count',
            'isset',
            'is_string',
            'is_int',
            'is_array',
            'str_starts_with',
            'array_key_exists',
            'random_bytes' => 0,
            'substr' => is_string($result) ? strlen($result) : 0,
            'strcspn', 'strspn' => is_int($result) ? $result : 0,
            'strpos' => is_int($result) ? $result - $offset : self::size($arguments[0] ?? null) - $offset,
            // They move what they are given and do not copy it.
            'array_push' => count($arguments),
            'array_diff_key', 'array_intersect_key', 'array_fill', 'array_values', 'array_unique' => array_sum(
                array_map(static fn (mixed $one): int => is_array($one) ? count($one) : 1, $arguments),
            ),
            default => array_sum(array_map(self::size(...), $arguments)) + self::size($result),
        };
    }

    public static function size(mixed $value): int
    {
        return match (true) {
            is_string($value) => strlen($value),
            is_array($value) => count($value)
                + array_sum(array_map(static fn (mixed $one): int => is_string($one) ? strlen($one) : 1, $value)),
            default => 1,
        };
    }

    private static function define(string $function): void
    {
        if (function_exists(self::COUNTED."\\{$function}")) {
            return;
        }

        $code = in_array($function, self::MATCHING, true)
            ? "function {$function}(\$pattern, \$subject, &\$found = null, \$flags = 0, \$offset = 0) { \$result ="
                ." \\{$function}(\$pattern, \$subject, \$found, \$flags, \$offset);"
                .' \\'.self::class.'::$bytes += 1 + ('.var_export($function === 'preg_match', true)
                ." && \$result === 1 ? strlen(\$found[0] ?? '') : strlen(\$subject) - \$offset); return \$result; }"
            : ($function === 'parse_str'
                ? 'function parse_str($query, &$found) { \\'.self::class
                    .'::$bytes += strlen($query); \\parse_str($query, $found); }'
                : (((new ReflectionFunction($function))->getParameters()[0] ?? null)?->isPassedByReference() === true
                    ? "function {$function}(&\$first, ...\$arguments) { \$result = \\{$function}(\$first,"
                        .' ...$arguments); \\'
                        .self::class."::pay('{$function}', [\$first, ...\$arguments], \$result); return \$result; }"
                    : "function {$function}(...\$arguments) { \$result = \\{$function}(...\$arguments); \\".self::class
                        ."::pay('{$function}', \$arguments, \$result); return \$result; }"));
        eval('namespace '.self::COUNTED."; {$code}");
    }
}
