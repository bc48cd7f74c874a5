<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Kernel;

use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Process\TemporaryDirectory;

/**
 * A machine whose /proc and /sys say what a test wants.
 */
final readonly class Machine
{
    private function __construct(private TemporaryDirectory $directory) {}

    public static function create(): self
    {
        return new self(TemporaryDirectory::create('machine'));
    }

    public function has(string $path, string $text): self
    {
        $directory = dirname($this->directory->path.$path);
        is_dir($directory) || mkdir($directory, recursive: true);
        $this->directory->write(substr($path, 1), $text);

        return $this;
    }

    public function links(string $path, string $target): self
    {
        is_dir(dirname($this->directory->path.$path)) || mkdir(dirname($this->directory->path.$path), recursive: true);
        symlink($target, $this->directory->path.$path);

        return $this;
    }

    public function files(): KernelFiles
    {
        return new KernelFiles($this->directory->path);
    }

    public function path(string $path): string
    {
        return $this->directory->path.$path;
    }

    public function remove(): void
    {
        $this->directory->remove();
    }
}
