<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Variables\PossibleValues;

/**
 * Where a fastcgi_pass can lead to: one place that is written down, or each value that its variables can have.
 *
 * @internal
 */
final readonly class PassTargets
{
    /**
     * @param list<PassTarget> $known
     * @param ?string $rest why there may be others; null where these are all
     */
    private function __construct(
        public array $known,
        public ?string $rest,
        private PossibleValues $values,
        private bool $mayBeEmpty,
    ) {}

    public static function of(PossibleValues $values, NginxConfig $config, Defaults $defaults): self
    {
        $known = [];
        $names = array_filter($values->known(), static fn (string $name): bool => $name !== '');
        $mayBeEmpty = count($names) < count($values->known());
        $empty = 'it is empty where no entry, no default and no `set` gives it a value, and nginx answers 500 then';
        $rest = $values->reason() ?? ($mayBeEmpty ? $empty : null);

        foreach ($names as $name) {
            $directive = $config->upstream($name);
            $upstream = $directive === null ? null : Upstream::fromDirective($directive, $defaults);
            $key = $upstream === null ? "address {$name}" : "upstream {$upstream->name}";
            $known[$key] = new PassTarget($name, $upstream);
        }

        return new self(array_values($known), $rest, $values, $mayBeEmpty);
    }

    /** @return list<Upstream> that are known to be led to */
    public function upstreams(): array
    {
        $upstreams = array_map(static fn (PassTarget $target): ?Upstream => $target->upstream, $this->known);

        return array_values(array_filter($upstreams, static fn (?Upstream $upstream): bool => $upstream !== null));
    }

    /** @return list<string> that are known to be led to, those of upstreams among them */
    public function addresses(): array
    {
        return array_merge(...array_map(static fn (PassTarget $target): array => $target->addresses(), $this->known));
    }

    /** @return list<string> the names of those with an address on TCP, as far as they are known */
    public function byTcp(): array
    {
        $isByTcp = static fn (PassTarget $target): bool => array_filter(
            $target->addresses(),
            static fn (string $address): bool => ! str_starts_with($address, 'unix:'),
        ) !== [];

        return array_column(array_filter($this->known, $isByTcp), 'name');
    }

    public function has(Upstream $upstream): bool
    {
        $alike = array_filter($this->upstreams(), static fn (Upstream $one): bool => $one->name === $upstream->name);

        return $alike !== [];
    }

    /** Whether it is among those that are not known. */
    public function maybe(string $name): bool
    {
        return $this->mayBeEmpty || $this->values->maybe($name);
    }

    /** Whether those that are not known are unix sockets. */
    public function restAreSockets(): bool
    {
        $others = array_filter(
            $this->values->beginnings(),
            static fn (string $begins): bool => ! str_starts_with($begins, 'unix:'),
        );

        return $others === [] && ! $this->mayBeEmpty;
    }
}
