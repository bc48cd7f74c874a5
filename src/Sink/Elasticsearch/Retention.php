<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

/**
 * Deletes old events: with ISM in OpenSearch; with the lifecycle of the data stream or with ILM in Elasticsearch.
 *
 * @internal
 */
final readonly class Retention
{
    /** From this version on every license includes the lifecycle of data streams. */
    private const OWN_LIFECYCLE_SINCE = '8.14.0';

    private const LARGEST_SHARD = '50gb';

    /** Marks the policies of this package, so that it changes no others. */
    public const MARK = 'made by headroom';

    /** @param ?int<1, max> $days null keeps events forever */
    public function __construct(
        private ?int $days,
        private IndexName $index,
        private bool $isOpenSearch,
        private string $version,
    ) {}

    /** @return ?string null if no separate policy is needed */
    public function policyPath(string $name): ?string
    {
        return match (true) {
            $this->days === null, $this->isOwnLifecycle() => null,
            $this->isOpenSearch => "/_plugins/_ism/policies/{$name}",
            default => "/_ilm/policy/{$name}",
        };
    }

    /** @return array<string, mixed> */
    public function policy(): array
    {
        return $this->isOpenSearch ? $this->ism() : $this->ilm();
    }

    /**
     * The part of the server's response to compare with policy().
     *
     * @param array<mixed> $answer
     * @return array<mixed>
     */
    public function policyOf(array $answer, string $name): array
    {
        $inner = $this->isOpenSearch ? $answer : $answer[$name] ?? [];

        return is_array($inner) ? $inner : [];
    }

    /** @param array<mixed> $policy as policyOf() returns it */
    public function isOurs(array $policy): bool
    {
        $inner = is_array($policy['policy'] ?? null) ? $policy['policy'] : [];
        $meta = is_array($inner['_meta'] ?? null) ? $inner['_meta'] : [];

        return ($inner['description'] ?? $meta['description'] ?? null) === self::MARK;
    }

    /** @return array<string, mixed> for the settings of the template */
    public function settings(string $name): array
    {
        return $this->days === null || $this->isOpenSearch || $this->isOwnLifecycle()
            ? []
            : ['lifecycle' => ['name' => $name]];
    }

    /** @return array<string, mixed> for the template, next to its settings */
    public function lifecycle(): array
    {
        return $this->isOwnLifecycle() ? ['lifecycle' => ['data_retention' => "{$this->days}d"]] : [];
    }

    private function isOwnLifecycle(): bool
    {
        return $this->days !== null
            && ! $this->isOpenSearch
            && $this->index->fixed() !== null
            && version_compare($this->version, self::OWN_LIFECYCLE_SINCE, '>=');
    }

    /**
     * A data stream rolls over to a new index, and the oldest indices are deleted. A monthly index does not roll over.
     */
    private function rollsOver(): bool
    {
        return $this->index->fixed() !== null;
    }

    /** @return array<string, mixed> */
    private function ism(): array
    {
        $rollover = ['rollover' => ['min_index_age' => '1d', 'min_primary_shard_size' => self::LARGEST_SHARD]];

        return ['policy' => [
            'description' => self::MARK,
            'default_state' => 'kept',
            'states' => [
                [
                    'name' => 'kept',
                    'actions' => $this->rollsOver() ? [$rollover] : [],
                    'transitions' => [['state_name' => 'gone', 'conditions' => ['min_index_age' => "{$this->days}d"]]],
                ],
                ['name' => 'gone', 'actions' => [['delete' => (object) []]], 'transitions' => []],
            ],
            'ism_template' => [['index_patterns' => [$this->index->wildcard()], 'priority' => 200]],
        ]];
    }

    /** @return array<string, mixed> */
    private function ilm(): array
    {
        $rollover = ['rollover' => ['max_age' => '1d', 'max_primary_shard_size' => self::LARGEST_SHARD]];

        return ['policy' => [
            '_meta' => ['description' => self::MARK],
            'phases' => [
                'hot' => ['min_age' => '0ms', 'actions' => $this->rollsOver() ? $rollover : (object) []],
                'delete' => ['min_age' => "{$this->days}d", 'actions' => ['delete' => (object) []]],
            ],
        ]];
    }
}
