<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

use Closure;
use Headroom\Process\ShieldedCommand;
use Symfony\Component\Process\Process;

/**
 * Which distribution a program of this machine is of.
 *
 * @internal
 */
final readonly class SystemPackages
{
    private const SECONDS = 5;

    /** A revision of Debian or Ubuntu: 1.22.1-9, 8.2.29-1~deb12u1, 1.18.0-6ubuntu14.4. Others add their own words. */
    private const NATIVE = '/-\d+(?:\.\d+)*(?:ubuntu[\d.]+|build\d+)?(?:[+~]deb\d+u\d+)*(?:\+b\d+)?\z/';

    /** @param Closure(list<string>): ?string $ask what a program prints; null where it is not there or finds nothing */
    public function __construct(private ?Distribution $distribution, private Closure $ask) {}

    public static function ofThisMachine(): self
    {
        $text = (string) @file_get_contents('/etc/os-release');

        return new self(Distribution::fromOsRelease($text), static function (array $command): ?string {
            $process = new Process($command, null, ['LC_ALL' => 'C'], timeout: self::SECONDS);

            return ShieldedCommand::run($process) === 0 ? trim($process->getOutput()) : null;
        });
    }

    /** @return ?Distribution null for a program that its maker or a third party has built */
    public function of(string $program): ?Distribution
    {
        $isIts = $this->distribution !== null
            && ($this->isOfDebian($program) || $this->isOfRpm($program) || $this->isOfAlpine($program));

        return $isIts ? $this->distribution : null;
    }

    private function isOfDebian(string $program): bool
    {
        // Before Debian 13 dpkg knows some files by their place before /usr was merged.
        $owner = ($this->ask)(['dpkg-query', '-S', $program])
            ?? (str_starts_with($program, '/usr/') ? ($this->ask)(['dpkg-query', '-S', substr($program, 4)]) : null);

        if ($owner === null || preg_match('/\A([^:,\s]+)/', $owner, $package) !== 1) {
            return false;
        }

        $version = ($this->ask)(['dpkg-query', '-W', '-f=${source:Version}', $package[1]]) ?? '';

        return preg_match(self::NATIVE, $version) === 1;
    }

    /** The distribution whose package the program is from. */
    private function isOfRpm(string $program): bool
    {
        $vendor = fn (string $file): ?string => ($this->ask)(['rpm', '-qf', '--qf', '%{VENDOR}', $file]);
        $owner = $vendor($program);

        return $owner !== null && $owner === $vendor('/etc/os-release');
    }

    private function isOfAlpine(string $program): bool
    {
        return $this->distribution?->product === 'alpine-linux'
            && ($this->ask)(['apk', 'info', '-W', $program]) !== null;
    }
}
