<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload;

use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Preload\TargetApplication;
use Headroom\Process\UnixUser;
use Workbench\Rig\Production;

/**
 * The workbench deployed three times, each with another autoloader of Composer.
 */
final readonly class Releases
{
    /** The name of each variant without preloading, and Composer's options for its autoloader. */
    public const PLAIN = 'plain';

    public const OPTIMIZED = '-o';

    public const AUTHORITATIVE = '-o -a';

    /** @param array<string, Production> $releases by name */
    private function __construct(private array $releases) {}

    public static function deploy(): self
    {
        $releases = [];

        foreach ([
            self::PLAIN => 'plain',
            self::OPTIMIZED => 'optimized',
            self::AUTHORITATIVE => 'authoritative',
        ] as $name => $kind) {
            $releases[$name] = Production::copy();
            $releases[$name]->dumpAutoload($kind);
        }

        return new self($releases);
    }

    public function variant(string $name): PreloadVariant
    {
        return new PreloadVariant($name, $this->site($name));
    }

    public function site(string $name): TargetApplication
    {
        return new TargetApplication(
            $this->releases[$name]->path(),
            $this->releases[$name]->path('public/index.php'),
            account: UnixUser::forWorkers('www-data'),
        );
    }

    /** @return string absolute */
    public function write(string $name, string $file, string $text): string
    {
        $path = $this->releases[$name]->path($file);
        file_put_contents($path, $text);
        chmod($path, 0o644);

        return $path;
    }

    public function remove(): void
    {
        array_map(static fn (Production $release) => $release->remove(), $this->releases);
    }
}
