<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Core\SystemClock;
use Headroom\Preload\GeneratedList;
use Headroom\Preload\Generation\Generator;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\TargetApplication;
use Headroom\Process\UnixUser;
use Workbench\Rig\Production;

/**
 * Makes lists of a release.
 */
final class Generation
{
    public const FILE = 'bootstrap/cache/preload.php';

    /** @var list<string> what was told of the last one */
    public array $told = [];

    public function __construct(public readonly Production $release) {}

    /**
     * @param array<string, mixed> $config
     * @param array<string, string|int|bool> $ini
     */
    public function make(
        array $config = [],
        ?GeneratorInput $requests = null,
        array $ini = [],
        bool $installs = true,
        string $front = 'public/index.php',
    ): GeneratedList {
        $this->told = [];
        $tell = function (string $line): void {
            $this->told[] = $line;
        };

        return (new Generator($this->site($ini, $front), $this->config($config), new SystemClock, $tell))->generate(
            $requests ?? new GeneratorInput(named: Pages::all()),
            $installs,
        );
    }

    /** @param array<string, mixed> $values */
    public function config(array $values = []): PreloadConfig
    {
        return PreloadConfig::fromArray($values, $this->release->path());
    }

    /** @param array<string, string|int|bool> $ini */
    public function site(array $ini = [], string $front = 'public/index.php'): TargetApplication
    {
        return new TargetApplication(
            $this->release->path(),
            $this->release->path($front),
            account: UnixUser::forWorkers('www-data'),
            ini: $ini,
        );
    }

    public function script(): string
    {
        return $this->release->path(self::FILE);
    }

    /** @return list<string> scripts that were tried: of one under way, or of one that was killed */
    public function candidates(): array
    {
        $candidates = glob($this->release->path('bootstrap/cache/.preload-*.php'));

        return $candidates === false ? [] : $candidates;
    }

    /**
     * Removes the files of another test. One test kills a process, whose files the product removes only after an hour.
     */
    public function sweep(): void
    {
        array_map(unlink(...), $this->candidates());
        @unlink($this->script());
    }

    /** @return list<Page> */
    public static function pages(string ...$targets): array
    {
        return array_values(array_map(static fn (string $target): Page => new Page('GET', $target), $targets));
    }
}
