<?php

declare(strict_types=1);

namespace Workbench\Rig;

use RuntimeException;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * Composer in a directory.
 */
final readonly class Composer
{
    private const SECONDS = 300;

    public function __construct(private string $directory) {}

    /** @throws RuntimeException with what Composer said */
    public function run(string ...$arguments): void
    {
        $composer = (new ExecutableFinder)->find('composer')
            ?? throw new RuntimeException('composer is not on the PATH.');
        $process = new Process(
            [$composer, ...array_values($arguments), '--no-interaction', '--no-plugins', '--no-scripts'],
            $this->directory,
            [
                'COMPOSER_ALLOW_SUPERUSER' => '1',
                'COMPOSER_NO_AUDIT' => '1',
                'COMPOSER_VENDOR_DIR' => false,
                'COMPOSER' => false,
            ],
            timeout: self::SECONDS,
        );

        if ($process->run() !== 0) {
            throw new RuntimeException(
                "composer {$arguments[0]} in {$this->directory}"
                    ." failed:\n{$process->getOutput()}{$process->getErrorOutput()}",
            );
        }
    }
}
