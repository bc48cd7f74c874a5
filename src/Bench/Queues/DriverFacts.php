<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * What the figures of a driver have to be read with.
 *
 * @internal
 */
final readonly class DriverFacts
{
    /**
     * @param string $software server and version, '' when it does not tell
     * @param array<string, string> $settings of the server that decide how durable it is, by their own names
     * @param list<string> $notes
     */
    public function __construct(
        public string $software,
        public Durability $durability,
        public array $settings = [],
        public array $notes = [],
    ) {}

    /** Of a third party's driver, which says nothing about its server. */
    public static function unknown(string $class): self
    {
        return new self('', Durability::Unknown, [], ["driven by {$class}; how durable it is, its maker has to say"]);
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
