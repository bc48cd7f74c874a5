<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Script\InstalledScript;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class StatusReport
{
    /** Names of styles by the lines that have them. */
    public const STYLES = [
        '/^! /' => 'high',
        '/^The preloaded classes are those that were proven\.$/' => 'passed',
    ];

    /**
     * @param string $path of the script
     * @param list<array{pool: string, php: ?string, classes: int, files: int, problems: list<string>}> $pools
     * @param list<string> $problems of the script and of the pools
     */
    public function __construct(
        private string $path,
        private ?InstalledScript $installed,
        private array $pools,
        public array $problems,
        private ObservedRequests $observed,
    ) {}

    /** @return list<string> */
    public function lines(): array
    {
        $script = $this->installed;

        return [
            'Script   '
                .($script === null
                    ? "{$this->path}: not a script of headroom:preload"
                    : "{$this->path}: {$script->strategy}, ".TerminalText::count(count($script->files()), 'file')
                        .", PHP {$script->php}"),
            ...array_map(
                static fn (array $pool): string => "Pool     {$pool['pool']}: {$pool['classes']} classes, "
                    .TerminalText::count($pool['files'], 'file').' preloaded',
                $this->pools,
            ),
            'Samples  '.$this->samples(),
            ...($this->problems === []
                ? ['The preloaded classes are those that were proven.']
                : array_map(static fn (string $problem): string => "! {$problem}", $this->problems)),
        ];
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'script' => $this->path,
            'strategy' => $this->installed?->strategy,
            'mode' => $this->installed?->mode,
            'php' => $this->installed?->php,
            'files' => $this->installed === null ? null : count($this->installed->files()),
            'pools' => $this->pools,
            'samples' => [
                'requests' => $this->observed->requests,
                'after_preload' => $this->observed->afterPreload,
                'busy' => $this->observed->busy,
                'discarded' => $this->observed->discarded,
            ],
            'problems' => $this->problems,
        ];
    }

    private function samples(): string
    {
        $seen = $this->observed;
        $lost = $seen->busy + $seen->discarded;

        return $seen->isEmpty() && $lost === 0
            ? 'none'
            : "{$seen->requests} requests, {$seen->afterPreload} of them with preloading"
                .($lost === 0 ? '' : ", {$lost} that could not be counted");
    }
}
