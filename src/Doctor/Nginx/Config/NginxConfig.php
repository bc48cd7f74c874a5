<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

use Headroom\Doctor\Nginx\Directives\Defaults;
use Headroom\Doctor\Nginx\Directives\NginxSetting;

/**
 * A configuration with everything it includes.
 *
 * @internal
 */
final readonly class NginxConfig
{
    /** What holds directives that a place inherits from. */
    private const PLACES = ['http', 'server', 'location', 'if', 'limit_except'];

    /**
     * @param list<ParseIssue> $misreads
     * @param list<string> $files in the order in which they are first read
     */
    public function __construct(public Block $main, public array $misreads, public array $files) {}

    /** @return list<Directive> in all blocks of that path, such as 'http', 'upstream' */
    public function blocks(string ...$path): array
    {
        $blocks = [$this->main];
        $found = [];

        foreach ($path as $name) {
            $found = [];

            foreach ($blocks as $block) {
                array_push(
                    $found,
                    ...array_filter(
                        $block->named($name),
                        static fn (Directive $directive): bool => $directive->block !== null,
                    ),
                );
            }

            $blocks = array_values(array_filter(array_column($found, 'block')));
        }

        return $found;
    }

    /** @return list<Directive> of that name in http and what inherits from it; not the entries of a map of that name */
    public function inHttp(string $name): array
    {
        $found = [];

        foreach ($this->blocks('http') as $http) {
            array_push($found, ...self::below($http, $name));
        }

        return $found;
    }

    /** @return list<Directive> servers, locations and what else inherits from them */
    public function places(): array
    {
        $places = [];

        foreach (['server', 'location', 'if', 'limit_except'] as $name) {
            array_push(
                $places,
                ...array_filter($this->inHttp($name), static fn (Directive $place): bool => $place->block !== null),
            );
        }

        return $places;
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
     * What holds at a place of directives that add up, such as fastcgi_param: all of the nearest block that has one,
     * and none of those around it. Not for directives that are not inherited: fastcgi_pass, try_files,
     * return and their like.
     *
     * @return list<Directive>
     */
    public function nearest(string $name, Directive $place): array
    {
        for ($at = $place; $at !== null; $at = $at->parent) {
            $said = $at->block?->named($name) ?? [];

            if ($said !== []) {
                return $said;
            }
        }

        return $this->main->named($name);
    }

    /** What holds at a place, as nginx inherits it. */
    public function setting(string $name, Directive $place, Defaults $defaults): NginxSetting
    {
        $said = $this->nearest($name, $place);

        return $said === [] ? $defaults->of($name) : NginxSetting::fromDirective($said[0]);
    }

    /** @return list<Directive> */
    private static function below(Directive $place, string $name): array
    {
        $found = [];

        foreach ($place->block?->directives() ?? [] as $directive) {
            if ($directive->name === $name) {
                $found[] = $directive;
            }

            if ($directive->block !== null && in_array($directive->name, self::PLACES, true)) {
                array_push($found, ...self::below($directive, $name));
            }
        }

        return $found;
    }
}
