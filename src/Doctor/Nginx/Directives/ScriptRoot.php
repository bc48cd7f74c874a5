<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * A document root below a symbolic link that each deploy points at the next release.
 *
 * @internal
 */
final readonly class ScriptRoot
{
    private const MOST = 500;

    /**
     * @param string $link the path that is a link
     * @param string $target the directory it leads to now
     * @param non-empty-list<string> $others names of other releases: directories next to the target with the same
     *     root in them
     */
    private function __construct(public string $link, public string $target, public array $others) {}

    /**
     * @param string $root an absolute path
     * @return ?self null where no part of it is such a link
     *
     * @throws FactUnavailable
     */
    public static function at(string $root): ?self
    {
        clearstatcache();
        $parts = array_values(array_filter(
            explode('/', $root),
            static fn (string $part): bool => $part !== '' && $part !== '.',
        ));
        $path = '';

        foreach ($parts as $at => $part) {
            $path .= "/{$part}";
            $target = is_link($path) ? realpath($path) : false;

            if ($target === false) {
                continue;
            }

            $others = self::otherReleases($target, implode('/', array_slice($parts, $at + 1)), $path);

            if ($others !== []) {
                return new self($path, $target, $others);
            }
        }

        return null;
    }

    /** @return list<Evidence> */
    public function evidence(): array
    {
        $others = implode(', ', array_slice($this->others, 0, 3));

        return [
            new Evidence($this->link, $this->target, "ls -l {$this->link}"),
            new Evidence('next to it', $others, 'ls '.dirname($this->target)),
        ];
    }

    /**
     * @return list<string>
     *
     * @throws FactUnavailable
     */
    private static function otherReleases(string $target, string $below, string $link): array
    {
        $parent = dirname($target);
        $entries = @scandir($parent);

        if ($entries === false) {
            throw FactUnavailable::because(
                "{$link} leads to {$target}. This user may not see whether other releases lie next to it.",
                'sudo ls -l '.escapeshellarg($link).' '.escapeshellarg($parent),
            );
        }

        // A directory next to /srv is not a release. Next to a link to the root itself each directory would be one.
        $names = $parent === '/' || $below === ''
            ? []
            : array_slice(
                array_filter(
                    $entries,
                    static fn (string $name): bool => ! in_array($name, ['.', '..', basename($target)], true),
                ),
                0,
                self::MOST,
            );

        return array_values(array_filter(
            $names,
            static fn (string $name): bool => ! is_link("{$parent}/{$name}") && is_dir("{$parent}/{$name}/{$below}"),
        ));
    }
}
