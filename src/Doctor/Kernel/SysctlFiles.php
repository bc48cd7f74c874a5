<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\Edit;
use Headroom\Doctor\FactUnavailable;

/**
 * Files that set kernel settings when the machine starts, in their order: the last line applies.
 *
 * @link https://www.freedesktop.org/software/systemd/man/latest/sysctl.d.html
 *
 * @internal
 */
final readonly class SysctlFiles
{
    /** Of several files with one name, only the one in the first directory is read. */
    private const DIRECTORIES = [
        '/etc/sysctl.d', '/run/sysctl.d', '/usr/local/lib/sysctl.d', '/usr/lib/sysctl.d', '/lib/sysctl.d',
    ];

    /** procps reads it after all others. systemd reads it only through a link in a directory. */
    private const LAST = '/etc/sysctl.conf';

    public function __construct(private KernelFiles $files) {}

    /**
     * A line in a file of the doctor's own, and the same value in each line that is read after that file.
     *
     * @return list<Edit>
     */
    public function edits(string $name, string $value): array
    {
        $edits = [Edit::append(Sysctl::FILE, "{$name} = {$value}")];

        foreach ($this->later() as $file) {
            try {
                $lines = explode("\n", $this->files->read($file));
            } catch (FactUnavailable) {
                continue;
            }

            foreach (array_map(static fn (string $line): string => rtrim($line, "\r"), $lines) as $number => $line) {
                $isSetting = preg_match('~\A(\s*-?\s*([\w./-]+?)\s*=\s*)(.*)\z~', $line, $m) === 1;

                if ($isSetting && strtr($m[2], '/', '.') === $name && trim($m[3]) !== $value) {
                    $edits[] = Edit::replace($file, $number + 1, $line, "{$m[1]}{$value}");
                }
            }
        }

        return $edits;
    }

    /** @return list<string> files that are read after the doctor's own, each once */
    private function later(): array
    {
        $byName = [];

        foreach (self::DIRECTORIES as $directory) {
            foreach ($this->files->named($directory, '.conf') as $path) {
                $byName[basename($path)] ??= $path;
            }
        }

        uksort($byName, strcmp(...));
        $later = [];

        foreach ([...$byName, 'zz' => self::LAST] as $name => $path) {
            if (strcmp($name, basename(Sysctl::FILE)) > 0) {
                $later[$this->files->real($path)] = $this->files->real($path);
            }
        }

        return array_values($later);
    }
}
