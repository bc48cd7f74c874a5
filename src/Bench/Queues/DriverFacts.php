<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * Facts about a driver that its figures depend on.
 *
 * @internal
 */
final readonly class DriverFacts
{
    /**
     * @param string $software server and version, '' if the server does not report it
     * @param array<string, string> $settings of the server that decide its durability, by their own names
     * @param list<string> $notes
     */
    public function __construct(
        public string $software,
        public Durability $durability,
        public array $settings = [],
        public array $notes = [],
    ) {}

    /** For a third party's driver, which reports nothing about its server. */
    public static function unknown(string $class): self
    {
        return new self('', Durability::Unknown, [], ["driven by {$class}; its maker documents its durability"]);
    }

    /** @return array{software: string, durability: string, settings: array<string, string>, notes: list<string>} */
    public function toArray(): array
    {
        return [
            'software' => $this->software,
            'durability' => $this->durability->value,
            'settings' => $this->settings,
            'notes' => $this->notes,
        ];
    }
}
