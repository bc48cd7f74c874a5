<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

use Headroom\Preload\UnableToPreload;

/**
 * Reads settings and the state of opcache of a PHP-FPM, by scripts that its worker runs.
 *
 * @internal
 */
final readonly class OpcacheProbe
{
    private const SIZES = <<<'PHP'
        <?php
        set_time_limit(0);
        $sizes = [];
        foreach (%FILES% as $name => $file) { try { @opcache_compile_file($file); } catch (Throwable) {} }
        $scripts = opcache_get_status()['scripts'] ?? [];
        foreach (%FILES% as $name => $file) { $sizes[$name] = $scripts[realpath($file)]['memory_consumption'] ?? 0; }
        echo json_encode($sizes);
        PHP;

    private const PRELOADED = <<<'PHP'
        <?php
        $status = function_exists('opcache_get_status') ? opcache_get_status(false) : false;
        echo json_encode([
            'on' => is_array($status),
            'classes' => count($status['preload_statistics']['classes'] ?? []),
            'scripts' => count($status['preload_statistics']['scripts'] ?? []),
            'bytes' => $status['preload_statistics']['memory_consumption'] ?? 0,
        ]);
        PHP;

    // Preloading saves a request what loading a cached class costs: the search of the autoloader, the include and the
    // binding.
    private const LOADING = <<<'PHP'
        <?php
        require %AUTOLOAD%;
        $before = hrtime(true);
        foreach (%CLASSES% as $class) { try { class_exists($class); } catch (Throwable) {} }
        echo hrtime(true) - $before;
        PHP;

    public function __construct(private PrivateFpm $fpm) {}

    /**
     * @param array<string, string> $files absolute paths by name
     * @return array<string, int> bytes that opcache needs, by name
     */
    public function sizes(array $files): array
    {
        $sizes = [];

        foreach ($this->json(strtr(self::SIZES, ['%FILES%' => var_export($files, true)])) as $name => $bytes) {
            $sizes[(string) $name] = is_int($bytes) ? $bytes : 0;
        }

        return $sizes;
    }

    /** An empty string for a setting that is not set. */
    public function setting(string $name): string
    {
        return $this->fpm->run('<?php echo ini_get('.var_export($name, true).');')->body;
    }

    public function version(): PhpVersion
    {
        $values = $this->json('<?php echo json_encode([PHP_VERSION, PHP_VERSION_ID]);');

        return new PhpVersion(
            is_string($values[0] ?? null) ? $values[0] : '',
            is_int($values[1] ?? null) ? $values[1] : 0,
        );
    }

    public function preloaded(): PreloadStatistics
    {
        $values = $this->json(self::PRELOADED);
        $count = static fn (string $name): int => is_int($values[$name] ?? null) ? $values[$name] : 0;

        return ($values['on'] ?? false) === true
            ? new PreloadStatistics($count('scripts'), $count('classes'), $count('bytes'))
            : throw UnableToPreload::noOpcache('PHP-FPM');
    }

    /**
     * @param string $autoload Composer's, absolute
     * @param list<string> $classes
     * @return ?float microseconds to load all of them; null if they were not measured
     */
    public function loadingMicros(string $autoload, array $classes): ?float
    {
        $nanos = (int) $this->fpm->run(strtr(
            self::LOADING,
            ['%AUTOLOAD%' => var_export($autoload, true), '%CLASSES%' => var_export($classes, true)],
        ))->body;

        return $nanos > 0 ? $nanos / 1_000 : null;
    }

    /** @return array<array-key, mixed> */
    private function json(string $code): array
    {
        $answer = $this->fpm->run($code);
        $values = json_decode($answer->body, true);

        return is_array($values)
            ? $values
            : throw UnableToPreload::noAnswer($answer->status, $answer->body.$answer->errors);
    }
}
