<?php

declare(strict_types=1);

namespace Headroom\Preload\Fpm;

use Headroom\Preload\UnableToPreload;

/**
 * What only PHP-FPM itself can tell, by scripts that its worker runs for us.
 *
 * @internal
 */
final readonly class FpmProbe
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

    // Loading a class that opcache has is what preloading spares: the loader's search, the include, the binding.
    private const LOADING = <<<'PHP'
        <?php
        require %AUTOLOAD%;
        $before = hrtime(true);
        foreach (%CLASSES% as $class) { try { class_exists($class); } catch (Throwable) {} }
        echo hrtime(true) - $before;
        PHP;

    public function __construct(private PrivateFpm $fpm) {}

    /**
     * @param array<string, string> $files absolute, by what they are called in the answer
     * @return array<string, int> bytes that opcache needs for each
     */
    public function sizes(array $files): array
    {
        $sizes = [];

        foreach ($this->json(strtr(self::SIZES, ['%FILES%' => var_export($files, true)])) as $name => $bytes) {
            $sizes[(string) $name] = is_int($bytes) ? $bytes : 0;
        }

        return $sizes;
    }

    /** '' for one that is not set */
    public function setting(string $name): string
    {
        return $this->fpm->run('<?php echo ini_get('.var_export($name, true).');')->body;
    }

    public function version(): PhpVersion
    {
        $said = $this->json('<?php echo json_encode([PHP_VERSION, PHP_VERSION_ID]);');

        return new PhpVersion(is_string($said[0] ?? null) ? $said[0] : '', is_int($said[1] ?? null) ? $said[1] : 0);
    }

    public function preloaded(): PreloadStatistics
    {
        $said = $this->json(self::PRELOADED);
        $count = static fn (string $name): int => is_int($said[$name] ?? null) ? $said[$name] : 0;

        return ($said['on'] ?? false) === true
            ? new PreloadStatistics($count('scripts'), $count('classes'), $count('bytes'))
            : throw UnableToPreload::noOpcache('PHP-FPM');
    }

    /**
     * @param string $autoload Composer's, absolute
     * @param list<string> $classes
     * @return ?float microseconds that they take to load, all of them; null where nobody could say
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
        $said = json_decode($answer->body, true);

        return is_array($said)
            ? $said
            : throw UnableToPreload::noAnswer($answer->status, $answer->body.$answer->errors);
    }
}
