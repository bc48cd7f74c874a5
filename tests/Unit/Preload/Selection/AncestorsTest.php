<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Selection;

use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Compares the ancestors read from tokens with those that PHP reports after it has loaded the class,
 * over real packages.
 */
final class AncestorsTest extends TestCase
{
    /** Some classes end the process that loads them, so that it is told where to go on, and says each thing at once. */
    private const CHILD = <<<'PHP'
        <?php
        error_reporting(0);
        [, $root, $behind, $results] = $argv;
        $loader = require "{$root}/vendor/autoload.php";
        $say = static fn (string $line) => file_put_contents($results, "{$line}\n", FILE_APPEND);
        $map = $loader->getClassMap();
        // Composer's map has few of them unless it was optimised.
        $framework = "{$root}/vendor/laravel/framework/src/Illuminate";
        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($framework, FilesystemIterator::SKIP_DOTS)) as $path => $_) {
            if (str_ends_with($path, '.php')) {
                $map['Illuminate'.strtr(substr($path, strlen($framework), -4), '/', '\\')] ??= $path;
            }
        }
        ksort($map);
        foreach ($map as $class => $file) {
            $file = realpath($file);
            if (strcmp($class, $behind) <= 0 || crc32($class) % 2 !== 0) {
                continue;
            }
            // These bring packages of their own along.
            if (! str_starts_with($file, "{$root}/vendor/") || preg_match('#/(phpstan|pint|phpat)/#', $file)) {
                continue;
            }
            try {
                $source = Headroom\Preload\Selection\SourceReader::read($file);
            } catch (Headroom\Preload\Selection\UnableToRead $e) {
                $say("differs {$e->getMessage()}");
                continue;
            }
            if ($source->impurity !== null) {
                continue;
            }
            $say("loads {$class}");
            try {
                $loads = class_exists($class) || interface_exists($class) || trait_exists($class);
            } catch (Throwable) {
                $loads = false;
            }
            if (! $loads) {
                continue;
            }
            $reflection = new ReflectionClass($class);
            if ($reflection->getFileName() !== $file) {
                continue;
            }
            $own = array_filter([($reflection->getParentClass() ?: null)?->getName(), ...$reflection->getTraitNames()]);
            $inherited = $reflection->getParentClass() ? $reflection->getParentClass()->getInterfaceNames() : [];
            foreach ($reflection->getInterfaces() as $interface) {
                $inherited = [...$inherited, ...$interface->getInterfaceNames()];
            }
            $interfaces = $reflection->getInterfaceNames();
            // A class may also declare an inherited interface. Interfaces that PHP adds by itself are not declared.
            $may = array_map('strtolower', [...$own, ...$interfaces]);
            $must = array_map('strtolower', [...$own, ...array_diff($interfaces, $inherited, ['Stringable', 'UnitEnum', 'BackedEnum'])]);
            $read = [];
            foreach ($source->declarations as $declaration) {
                if ($declaration->name === $class) {
                    $read = array_map('strtolower', $declaration->ancestors);
                }
            }
            $text = file_get_contents($file);
            $extra = preg_match('/\bnew\s+(#\[.*\]\s*)?class\b/', $text) === 1 ? [] : array_diff($read, $may);
            if (array_diff($must, $read) !== [] || $extra !== []) {
                $say("differs {$class}: ".implode(' ', $read).' instead of '.implode(' ', $must));
            }
            $say("compared {$class}");
        }
        $say('ended');
        PHP;

    #[Test]
    public function tokens_and_reflection_know_the_same_ancestors_of_every_other_class_of_the_packages(): void
    {
        $directory = TemporaryDirectory::create('ancestors');
        $script = $directory->write('compare.php', self::CHILD);
        $results = $directory->write('results', '');
        $behind = '';
        $starts = 0;

        do {
            (new Process(
                [PHP_BINARY, '-d', 'memory_limit=512M', $script, dirname(__DIR__, 4), $behind, $results],
                timeout: 60,
            ))->run();
            $lines = explode("\n", trim((string) file_get_contents($results)));
            $behind = substr(array_slice(self::beginning('loads ', $lines), -1)[0] ?? '', 6);
            $starts++;
        } while (end($lines) !== 'ended' && $starts < 50);

        $directory->remove();
        self::assertSame([], self::beginning('differs ', $lines));
        self::assertContains('ended', $lines);
        self::assertGreaterThan(1_000, count(self::beginning('compared ', $lines)));
    }

    /**
     * @param list<string> $lines
     * @return list<string>
     */
    private static function beginning(string $word, array $lines): array
    {
        return array_values(array_filter($lines, static fn (string $line): bool => str_starts_with($line, $word)));
    }
}
