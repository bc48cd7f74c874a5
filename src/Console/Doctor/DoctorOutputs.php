<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Core\Clock;
use Headroom\Doctor\Report;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Report\ReportFile;
use Symfony\Component\Console\Exception\InvalidOptionException;

/**
 * The files of --output. The suffix of a file name decides the format.
 *
 * @internal
 */
final readonly class DoctorOutputs
{
    private const SUFFIXES = ['json', 'html'];

    /**
     * @param list<string> $paths
     *
     * @throws InvalidOptionException before the examination
     */
    public function __construct(private array $paths, private Clock $clock)
    {
        foreach ($paths as $path) {
            if (! in_array(pathinfo($path, PATHINFO_EXTENSION), self::SUFFIXES, true)) {
                throw new InvalidOptionException(
                    "--output is '{$path}'. It must be a file that ends with .json or .html.",
                );
            }

            // Opening a named pipe blocks until another process reads it.
            if (
                ! is_dir(dirname($path))
                || (file_exists($path) && ! is_file($path))
                || ! is_writable(is_file($path) ? $path : dirname($path))
            ) {
                throw new InvalidOptionException(
                    "--output is '{$path}'. It must be a file that this user may write, in an existing directory.",
                );
            }
        }
    }

    /**
     * @param array<string, mixed> $document what --json prints
     *
     * @throws InvalidOptionException
     */
    public function write(Report $diagnosis, array $document, ?LoadDiagnosis $underLoad = null): void
    {
        foreach ($this->paths as $path) {
            $text = match (pathinfo($path, PATHINFO_EXTENSION)) {
                'html' => (new DoctorPage($diagnosis, $this->clock->now()->format('Y-m-d H:i T'), $underLoad))->html(),
                default => json_encode(
                    $document,
                    JSON_THROW_ON_ERROR
                        | JSON_PRETTY_PRINT
                        | JSON_UNESCAPED_SLASHES
                        | JSON_INVALID_UTF8_SUBSTITUTE
                        | JSON_PRESERVE_ZERO_FRACTION,
                )
                    ."\n",
            };

            $obstacle = ReportFile::write($path, $text);

            if ($obstacle !== null) {
                throw new InvalidOptionException("--output: {$path} cannot be written: {$obstacle}.");
            }
        }
    }
}
