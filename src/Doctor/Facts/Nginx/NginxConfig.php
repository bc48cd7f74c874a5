<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

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
     * @param list<Misread> $misreads
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
                array_push($found, ...array_filter($block->named($name), static fn (Directive $directive): bool => $directive->block !== null));
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
