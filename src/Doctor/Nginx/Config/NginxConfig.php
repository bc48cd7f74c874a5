<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

use Headroom\Doctor\Nginx\Directives\Defaults;
use Headroom\Doctor\Nginx\Directives\NginxSetting;

/**
 * A configuration with everything that it includes.
 *
 * @internal
 */
final readonly class NginxConfig
{
    /** Blocks in http that inherit directives from the blocks around them. */
    private const PLACES = ['server', 'location', 'if', 'limit_except'];

    /** @param list<string> $files in the order in which they are first read */
    public function __construct(public Block $main, public array $files) {}

    /** @return list<Directive> in all blocks of that path, such as 'http', 'upstream' */
    public function blocks(string ...$path): array
    {
        [$blocks, $found] = [[$this->main], []];

        foreach ($path as $name) {
            $named = array_merge(...array_map(static fn (Block $block): array => $block->named($name), $blocks));
            $found = self::withBlock($named);
            $blocks = array_values(array_filter(array_column($found, 'block')));
        }

        return $found;
    }

    /** @return list<Directive> of that name in http and in its places; not the entries of a map of that name */
    public function inHttp(string $name): array
    {
        return array_merge(...array_map(
            static fn (Directive $http): array => self::below($http, $name),
            $this->blocks('http'),
        ));
    }

    /** @return list<Directive> servers, locations and the other blocks that inherit from them */
    public function places(): array
    {
        return array_merge(...array_map(
            fn (string $name): array => self::withBlock($this->inHttp($name)),
            self::PLACES,
        ));
    }

    public function upstream(string $name): ?Directive
    {
        foreach ($this->blocks('http', 'upstream') as $upstream) {
            if (strcasecmp($upstream->argument(0) ?? '', $name) === 0) {
                return $upstream;
            }
        }

        return null;
    }

    /**
     * Directives that add up, such as fastcgi_param, at a place: all of the nearest block that has one, and none of the
     * blocks around it. Not for directives that are not inherited, such as fastcgi_pass, try_files and return.
     *
     * @return list<Directive>
     */
    public function nearest(string $name, Directive $place): array
    {
        for ($at = $place; $at !== null; $at = $at->parent) {
            $directives = $at->block?->named($name) ?? [];

            if ($directives !== []) {
                return $directives;
            }
        }

        return $this->main->named($name);
    }

    /** The value at a place, as nginx inherits it. */
    public function setting(string $name, Directive $place, Defaults $defaults): NginxSetting
    {
        $directives = $this->nearest($name, $place);

        return $directives === [] ? $defaults->of($name) : NginxSetting::fromDirective($directives[0]);
    }

    /** @return list<Directive> */
    private static function below(Directive $place, string $name): array
    {
        $found = [];

        foreach ($place->block?->directives() ?? [] as $directive) {
            if ($directive->name === $name) {
                $found[] = $directive;
            }

            if (in_array($directive->name, self::PLACES, true)) {
                array_push($found, ...self::below($directive, $name));
            }
        }

        return $found;
    }

    /**
     * @param array<Directive> $directives
     * @return list<Directive>
     */
    private static function withBlock(array $directives): array
    {
        return array_values(array_filter($directives, static fn (Directive $one): bool => $one->block !== null));
    }
}
