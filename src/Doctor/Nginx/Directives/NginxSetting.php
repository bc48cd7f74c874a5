<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\NginxVersion;

/**
 * The value of a directive at a place, and its source.
 *
 * @internal
 */
final readonly class NginxSetting
{
    /**
     * @param ?list<string> $arguments null where it is not known; empty where this nginx has no such directive
     * @param ?Directive $directive null where it is a default or not known
     * @param string $source its file and line, the nginx that has this default, or the reason why it is not known
     */
    private function __construct(
        public string $name,
        public ?array $arguments,
        public ?Directive $directive,
        public string $source,
    ) {}

    public static function fromDirective(Directive $directive): self
    {
        return new self($directive->name, $directive->arguments, $directive, $directive->where());
    }

    public static function byDefault(string $name, string $value, ?NginxVersion $version): self
    {
        return new self($name, explode(' ', $value), null, 'default of '.($version?->name() ?? 'nginx'));
    }

    public static function lacking(string $name, NginxVersion $version): self
    {
        return new self($name, [], null, "{$version->name()} has no {$name}");
    }

    public static function unknown(string $name, string $reason): self
    {
        return new self($name, null, null, $reason);
    }

    public function isKnown(): bool
    {
        return $this->arguments !== null;
    }

    public function value(): ?string
    {
        return $this->arguments[0] ?? null;
    }

    public function is(string $value): bool
    {
        return strcasecmp($this->value() ?? '', $value) === 0;
    }

    public function has(string $argument): bool
    {
        return in_array($argument, $this->arguments ?? [], true);
    }

    public function number(): ?int
    {
        return Units::number($this->value() ?? '');
    }

    /** @throws FactUnavailable */
    public function knownNumber(): int
    {
        return $this->number() ?? throw $this->unreadable();
    }

    /** @throws FactUnavailable */
    public function knownMilliseconds(): int
    {
        return $this->milliseconds() ?? throw $this->unreadable();
    }

    private function unreadable(): FactUnavailable
    {
        return FactUnavailable::because(
            "{$this->name} is not known: {$this->source}.",
            "sudo nginx -T | grep {$this->name}",
        );
    }

    public function bytes(): ?int
    {
        return Units::bytes($this->value() ?? '');
    }

    public function milliseconds(): ?int
    {
        return Units::milliseconds($this->value() ?? '');
    }

    public function text(): string
    {
        return $this->arguments === null
            ? "{$this->name} is not known"
            : implode(' ', [$this->name, ...$this->arguments]);
    }
}
