<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * The sampled page. Its call graph is known, so impossible stacks are recognized. It reports the CPU time of each of
 * its three parts.
 */
final readonly class KnownPage
{
    public const PARTS = ['Prices::all', 'Tree::depth', 'Signer::sign'];

    /** Frames of a framework above the page, as many as a Laravel application has. */
    private const DEPTH = 30;

    private const CODE = <<<'PHP'
        <?php
        final class Prices {
            public static function all(int $most): int {
                for ($i = 0, $n = 0; $i < $most; $i++) { $n = ($n * 31 + $i) % 1_000_003; }
                return $n;
            }
        }
        final class Tree {
            public static function depth(int $n): int { return $n < 2 ? 1 : self::depth($n - 1) + self::depth($n - 2); }
        }
        final class Signer {
            public static function sign(int $rounds): string { return hash_pbkdf2('sha256', 'key', 'salt', $rounds); }
        }
        final class Page {
            public static function cpu(): float {
                $used = getrusage();
                $micros = $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
                return $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] + 1e-6 * $micros;
            }
            public static function show(int $times): array {
                $at = [self::cpu()];
                for ($i = 0; $i < $times; $i++) { Prices::all(10_000_000); }
                $at[] = self::cpu();
                for ($i = 0; $i < $times; $i++) { Tree::depth(30); }
                $at[] = self::cpu();
                for ($i = 0; $i < $times; $i++) { Signer::sign(120_000); }
                $at[] = self::cpu();
                return [$at[1] - $at[0], $at[2] - $at[1], $at[3] - $at[2]];
            }
        }
        final class Middleware {
            public static function handle(int $left, int $times): array {
                return $left === 0 ? Page::show($times) : self::handle($left - 1, $times);
            }
        }
        echo json_encode(Middleware::handle(%DEPTH%, (int) ($_GET['times'] ?? 1)));
        PHP;

    private const STACK = '~\A\(main\)(?:;Middleware::handle){0,%MOST%}(?:\z|(?<=handle);Page::show'
        .'(?:;Page::cpu(?:;getrusage)?|;Prices::all'
        .'|(?:;Tree::depth){1,30}|;Signer::sign(?:;hash_pbkdf2)?)?\z)|\A\(main\);(?:json_encode|[a-z_]+)\z~';

    public static function code(): string
    {
        return strtr(self::CODE, ['%DEPTH%' => (string) self::DEPTH]);
    }

    /** @param list<string> $frames the outermost first */
    public static function canBe(array $frames): bool
    {
        // All frames of the framework are below a page: a missing one was read while it changed.
        $handlers = count(array_keys($frames, 'Middleware::handle', true));
        $isWhole = ! in_array('Page::show', $frames, true) || $handlers === self::DEPTH + 1;
        $stack = strtr(self::STACK, ['%MOST%' => (string) (self::DEPTH + 1)]);

        return $isWhole && preg_match($stack, implode(';', $frames)) === 1;
    }

    /** @param list<string> $frames */
    public static function part(array $frames): ?string
    {
        return array_values(array_intersect(self::PARTS, $frames))[0] ?? null;
    }
}
