<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Core\HeadroomException;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * Finds the script of the application that a pool runs for a page.
 *
 * @internal
 */
final readonly class LoadedScript
{
    /** @param ?NginxServers $nginx null if none is known */
    public function __construct(private ?NginxServers $nginx) {}

    /**
     * The script that most processes ran last, which is the script of the load. Without it in the status page, the
     * script to which nginx maps the path.
     *
     * @param string $path without a query
     *
     * @throws FactUnavailable
     */
    public function in(FpmPool $pool, string $path): string
    {
        $unknown = FactUnavailable::because(
            "No process of the pool {$pool->name()} tells which script it ran.",
            CheckText::command('F7'),
        );

        try {
            $script = self::ran($pool);
        } catch (FactUnavailable $unknown) {
            $script = null;
        }

        return $script ?? $this->sent($pool, $path) ?? throw $unknown;
    }

    /** Whether a doctor has written the script: it uses directories of this name. */
    public static function isDoctors(string $script): bool
    {
        return preg_match('~/headroom-probe-[0-9a-f]+/[0-9a-f]+\.php\z~', $script) === 1;
    }

    /** @throws FactUnavailable */
    private static function ran(FpmPool $pool): ?string
    {
        $page = $pool->settings->text('pm.status_path');
        $scripts = [];

        foreach ($pool->status()->processes ?? [] as $process) {
            $script = $process->script ?? '';

            if (str_starts_with($script, '/') && $script !== $page && ! self::isDoctors($script)) {
                $scripts[$script] = ($scripts[$script] ?? 0) + 1;
            }
        }

        arsort($scripts);

        return array_key_first($scripts);
    }

    /** Null if nginx maps it to several scripts. */
    private function sent(FpmPool $pool, string $path): ?string
    {
        $scripts = [];

        foreach ($this->nginx->known ?? [] as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                if (array_filter($pass->targets->addresses(), $pool->listensAt(...)) !== []) {
                    $scripts[] = self::script($nginx, $pass, $path);
                }
            }
        }

        $isKnown = static fn (?string $script): bool => $script !== null;
        $known = array_values(array_unique(array_filter($scripts, $isKnown)));

        return count($known) === 1 ? $known[0] : null;
    }

    private static function script(NginxServer $nginx, FastcgiPass $pass, string $path): ?string
    {
        $script = $pass->scriptFilename?->argument(1) ?? '';

        if (str_starts_with($script, '/') && ! str_contains($script, '$')) {
            return $script;
        }

        try {
            $isBelowRoot = preg_match('/\A\$\{?(?:document|realpath)_root\b/', $script) === 1;
            $root = $isBelowRoot ? $nginx->root($pass->directive->parent ?? $pass->directive)->argument(0) : null;
        } catch (HeadroomException) {
            return null;
        }

        $name = str_ends_with($path, '.php') ? $path : '/index.php';

        return $root === null || str_contains($root, '$') ? null : $root.$name;
    }
}
