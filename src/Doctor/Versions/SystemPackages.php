<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

use Closure;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\ExternalProgram;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Process\Programs;

/**
 * Finds the distribution whose package a program of this machine belongs to.
 *
 * @internal
 */
final readonly class SystemPackages
{
    private const MANAGERS = ['dpkg-query', 'rpm', 'apk'];

    /**
     * A revision of Debian or Ubuntu: 1.22.1-9, 8.2.29-1~deb12u1, 1.18.0-6ubuntu14.4.
     * Other builds have suffixes of their own.
     */
    private const NATIVE = '/-\d+(?:\.\d+)*(?:ubuntu[\d.]+|build\d+)?(?:[+~]deb\d+u\d+)*(?:\+b\d+)?\z/';

    /**
     * @param Closure(non-empty-list<string>): ?string $ask the output; null if the program is missing or finds nothing
     */
    public function __construct(private ?Distribution $distribution, private Closure $ask) {}

    /** @throws FactUnavailable if this machine has none of the known package managers */
    public static function ofThisMachine(ExternalProgram $program = new ExternalProgram): self
    {
        $here = array_filter(self::MANAGERS, static fn (string $name): bool => Programs::optional($name) !== null);

        if ($here === []) {
            throw FactUnavailable::because(
                'None of the package managers '.implode(', ', self::MANAGERS).' is installed, and the doctor knows no'
                    .' other.',
                'cat /etc/os-release',
            );
        }

        $text = (string) @file_get_contents('/etc/os-release');

        return new self(
            Distribution::fromOsRelease($text),
            static fn (array $command): ?string => in_array($command[0], $here, true)
                ? self::answer($program, $command)
                : null,
        );
    }

    /**
     * @param non-empty-list<string> $command
     * @return ?string null for exit code 1, by which all three say that no package has the file
     *
     * @throws FactUnavailable
     */
    private static function answer(ExternalProgram $program, array $command): ?string
    {
        $typed = implode(' ', array_map(escapeshellarg(...), $command));
        $ended = $program->run($command, $typed);

        return match ($ended->code) {
            0 => trim($ended->output),
            1 => null,
            default => throw UnreadableKernel::failed($typed, $ended->code, $ended->errors),
        };
    }

    /**
     * @return ?Distribution null for a program that its maker or a third party has built
     *
     * @throws FactUnavailable
     */
    public function of(string $program): ?Distribution
    {
        $isIts = $this->distribution !== null
            && ($this->isOfDebian($program) || $this->isOfRpm($program) || $this->isOfAlpine($program));

        return $isIts ? $this->distribution : null;
    }

    /** @throws FactUnavailable */
    private function isOfDebian(string $program): bool
    {
        // Before Debian 13, dpkg lists some files by their path before /usr was merged.
        $owner = ($this->ask)(['dpkg-query', '-S', $program])
            ?? (str_starts_with($program, '/usr/') ? ($this->ask)(['dpkg-query', '-S', substr($program, 4)]) : null);

        if ($owner === null) {
            return false;
        }

        $package = self::matched('~^([a-z0-9][a-z0-9+.-]*)(?::[a-z0-9-]+)?(?:, [^ ]+)*: /~m', $owner, 'dpkg-query -S');
        $version = ($this->ask)(['dpkg-query', '-W', '-f=${source:Version}\n', $package]);

        return $version !== null
            && preg_match(self::NATIVE, self::matched('~\A(\d[\w.+:\~-]*)$~m', $version, 'dpkg-query -W')) === 1;
    }

    /** @throws FactUnavailable */
    private function isOfRpm(string $program): bool
    {
        $owner = $this->vendor($program);

        return $owner !== null && $owner === $this->vendor('/etc/os-release');
    }

    /** @throws FactUnavailable */
    private function vendor(string $file): ?string
    {
        $printed = ($this->ask)(['rpm', '-qf', '--qf', '%{NAME}\t%{VENDOR}\n', $file]);

        return $printed === null ? null : self::matched('~\A[\w.+-]+\t(.+)$~m', $printed, 'rpm -qf');
    }

    /** @throws FactUnavailable */
    private function isOfAlpine(string $program): bool
    {
        if ($this->distribution?->product !== 'alpine-linux') {
            return false;
        }

        $owner = ($this->ask)(['apk', 'info', '-W', $program]);

        return $owner !== null && self::matched('~ is owned by ([\w.+-]+)$~m', $owner, 'apk info -W') !== '';
    }

    /** @throws FactUnavailable */
    private static function matched(string $pattern, string $printed, string $command): string
    {
        return preg_match($pattern, $printed, $m) === 1 ? $m[1] : throw UnreadableKernel::garbage($command, $printed);
    }
}
