<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Variables;

use Headroom\Doctor\Nginx\Config\Directive;

/**
 * The values that variables of `set` can have where a request is passed on: nginx runs the directives of its rewrite
 * module in the order in which they stand, those of the server, then those of the location; and a request may have come
 * by another location first.
 *
 * @link https://nginx.org/en/docs/http/ngx_http_rewrite_module.html
 *
 * @internal
 */
final class RewritePhase
{
    /** Directives that hand the variables of a request to code, which may set them. */
    private const CODE = '/\A(?!init|ssl_|balancer|log_|header_filter|body_filter|exit_)\w*_by_lua(?:_block|_file)?\z'
        .'|\Ajs_(?:access|content)\z|\Aperl\z/';

    /** How often a request may be sent on before values that change each time are given up. */
    private const TURNS = 8;

    /** Whether a directive before may have ended this phase. */
    private bool $mayHaveEnded = false;

    /** @param list<Directive> $taken conditions that hold */
    private function __construct(
        private readonly VariableValues $variables,
        private readonly ?Directive $server,
        private readonly array $taken,
    ) {}

    /** @return array<string, PossibleValues> by name */
    public static function before(Directive $pass, VariableValues $variables): array
    {
        $around = static fn (string $name): array => array_values(
            array_filter($pass->path(), static fn (Directive $block): bool => $block->name === $name),
        );
        $server = $around('server')[0] ?? null;
        $locations = $around('location');
        $location = $locations === [] ? null : $locations[count($locations) - 1];

        return (new self($variables, $server, $around('if')))->at($location);
    }

    /** @return array<string, PossibleValues> */
    private function at(?Directive $location): array
    {
        [$found, $named] = $this->sentOn($this->started($this->server, []));
        $set = $this->started($location, self::isNamed($location) ? $named : $found);

        // A subrequest shares the variables of its request, and this one ends before the request is passed on.
        if (self::asksFirst($location ?? $this->server)) {
            $set = $this->joined($set, $this->sentOn($this->joined($set, $this->started($this->server, $set)))[1]);
        }

        return $this->byOthers($set);
    }

    /**
     * The values that variables can have when a request comes to a location, after any number of others.
     *
     * @param array<string, PossibleValues> $found when it comes to the first one
     * @return array{array<string, PossibleValues>, array<string, PossibleValues>} to one that is found by its path,
     *     and to one by its name
     */
    private function sentOn(array $found): array
    {
        $all = $this->server === null ? [] : self::locations($this->server);
        $again = [];
        $named = $found;
        $isSettled = false;

        for ($turn = 0; $turn < self::TURNS && ! $isSettled; $turn++) {
            $before = [$again, $found, $named];

            foreach ($all as $other) {
                $left = $this->started($other, self::isNamed($other) ? $named : $found);
                $again = $this->joined($again, $left);
                $named = $this->joined($named, $left);
                $found = self::sendsOn($other) ? $this->joined($found, $left) : $found;
            }

            // A redirect inside of nginx runs the directives of the server again, with what is set until then.
            $found = $this->joined($found, $this->started($this->server, $again));
            $named = $this->joined($named, $found);
            $isSettled = array_filter(
                array_map($this->equal(...), $before, [$again, $found, $named]),
            ) === [true, true, true];
        }

        foreach ($isSettled ? [] : array_keys($named) as $name) {
            $named[$name] = PossibleValues::unknown(
                "\${$name} may change each time that a location sends a request on",
            );
            $found[$name] = $named[$name];
        }

        return [$found, $named];
    }

    private static function isNamed(?Directive $place): bool
    {
        return str_starts_with($place?->argument(0) ?? '', '@');
    }

    /** Whether nginx asks another location, with auth_request, before it passes a request on from there. */
    private static function asksFirst(?Directive $place): bool
    {
        for ($at = $place; $at !== null; $at = $at->parent) {
            $directive = $at->block?->first('auth_request');

            if ($directive !== null) {
                return $directive->argument(0) !== 'off';
            }
        }

        return false;
    }

    /**
     * @param array<string, PossibleValues> $set
     * @return array<string, PossibleValues>
     */
    private function started(?Directive $place, array $set): array
    {
        $this->mayHaveEnded = false;

        return $place === null ? $set : $this->run($place, $set);
    }

    /**
     * @param array<string, PossibleValues> $set
     * @return array<string, PossibleValues>
     */
    private function run(Directive $place, array $set): array
    {
        foreach ($place->block?->directives() ?? [] as $directive) {
            $name = strtolower(substr($directive->argument(0) ?? '', 1));

            if ($directive->name === 'set' && $name !== '') {
                $value = $this->variables->of($directive->argument(1) ?? '', $this->server, $set);
                $set[$name] = $this->mayHaveEnded
                    ? $value->or($set[$name] ?? $this->variables->variable($name, $this->server))
                    : $value;
            } elseif ($directive->name === 'if' && $directive->block !== null) {
                $holds = in_array($directive, $this->taken, true);
                $then = $this->run($directive, $set);
                $set = $holds ? $then : $this->joined($set, $then);
            } elseif (
                $directive->name === 'break'
                || self::isRewrite($directive, 'break')
                || self::isRewrite($directive, 'last')
            ) {
                $this->mayHaveEnded = true;
            }
        }

        return $set;
    }

    /**
     * @param array<string, PossibleValues> $one
     * @param array<string, PossibleValues> $other
     * @return array<string, PossibleValues>
     */
    private function joined(array $one, array $other): array
    {
        $set = [];

        foreach (array_keys($one + $other) as $name) {
            $unset = isset($one[$name], $other[$name])
                ? PossibleValues::none()
                : $this->variables->variable($name, $this->server);
            $set[$name] = ($one[$name] ?? $unset)->or($other[$name] ?? $unset);
        }

        return $set;
    }

    /**
     * @param array<string, PossibleValues> $one
     * @param array<string, PossibleValues> $other
     */
    private function equal(array $one, array $other): bool
    {
        return array_keys($one) === array_keys($other) && array_filter(
            array_keys($one),
            static fn (string $name): bool => ! $one[$name]->equals($other[$name]),
        ) === [];
    }

    /**
     * Code may set each of them.
     *
     * @param array<string, PossibleValues> $set
     * @return array<string, PossibleValues>
     */
    private function byOthers(array $set): array
    {
        $why = $this->server === null ? null : $this->other($this->server->parent) ?? $this->other($this->server);

        if ($why === null) {
            return $set;
        }

        foreach (array_keys($set) as $name) {
            $set[$name] = $set[$name]->or(PossibleValues::unknown($why));
        }

        return $set;
    }

    /** The first one that stands there, and for a server in it or its locations. */
    private function other(?Directive $place): ?string
    {
        foreach ($place?->block?->directives() ?? [] as $directive) {
            $found = match (true) {
                preg_match(self::CODE, $directive->name) === 1
                    => "{$directive->name} may set variables ({$directive->where()})",
                in_array($directive->name, ['location', 'if'], true) => $this->other($directive),
                default => null,
            };

            if ($found !== null) {
                return $found;
            }
        }

        return null;
    }

    /** @return list<Directive> */
    private static function locations(Directive $place): array
    {
        $found = [];

        foreach ($place->block?->named('location') ?? [] as $location) {
            array_push($found, $location, ...self::locations($location));
        }

        return $found;
    }

    /** Whether it sends a request to another location without the server's directives. */
    private static function sendsOn(Directive $place): bool
    {
        foreach ($place->block?->directives() ?? [] as $directive) {
            $isLast = self::isRewrite($directive, 'last')
                || ($directive->name === 'rewrite' && count($directive->arguments) < 3);

            if ($isLast || ($directive->name === 'if' && self::sendsOn($directive))) {
                return true;
            }
        }

        return false;
    }

    private static function isRewrite(Directive $directive, string $flag): bool
    {
        return $directive->name === 'rewrite' && $directive->argument(2) === $flag;
    }
}
