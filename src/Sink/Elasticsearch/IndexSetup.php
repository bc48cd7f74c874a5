<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\SchemaOptions;
use Headroom\Sink\SchemaStep;
use Headroom\Sink\SchemaStepState;
use Headroom\Sink\UnableToDeliver;

/**
 * Creates the destination of documents: first the retention policy, then the template that names it, then the data
 * stream that the template configures. Objects without the mark of this package belong to another owner and are not
 * changed.
 *
 * @internal
 */
final readonly class IndexSetup
{
    public function __construct(private ElasticsearchOptions $options, private ClusterClient $cluster) {}

    /**
     * @return list<SchemaStep>
     *
     * @throws UnableToDeliver
     */
    public function run(SchemaOptions $wish): array
    {
        [$distribution, $version] = $this->cluster->version();
        $isOpenSearch = $distribution === 'opensearch';
        $name = 'headroom-'
            .rtrim($this->options->index->fixed() ?? strtr($this->options->index->wildcard(), ['*' => '']), '-._');
        $retention = new Retention($wish->keepDays, $this->options->index, $isOpenSearch, $version);
        $template = (new Template($this->options->index, $wish->data, $isOpenSearch))->body(
            $retention->settings($name),
            $retention->lifecycle(),
        );

        return array_values(array_filter([
            $this->policy($retention, $name, $wish->isDryRun),
            $this->template($template, $name, $wish->isDryRun),
            $this->stream($wish->isDryRun),
        ]));
    }

    private function policy(Retention $retention, string $name, bool $isDryRun): ?SchemaStep
    {
        $path = $retention->policyPath($name);

        if ($path === null) {
            return null;
        }

        $what = "retention policy {$name}";

        if (! $this->cluster->supports($path)) {
            return new SchemaStep(
                SchemaStepState::Unsupported,
                $what,
                'This cluster has neither ISM (OpenSearch) nor ILM (Elasticsearch). Install it, or run without --keep'
                    .' and delete old indices in another way.',
            );
        }

        $answer = $this->cluster->get($path);
        $existing = $answer === null ? [] : $retention->policyOf($answer, $name);
        $body = $retention->policy();

        if ($answer === null || ! $retention->isOurs($existing) || SettingsComparison::within($body, $existing)) {
            return $this->step($what, $path, $body, $answer === null ? null : $retention->isOurs($existing), $isDryRun);
        }

        // ISM requires the sequence number that it returned, so that two concurrent changes do not overwrite each
        // other.
        $place = is_int($answer['_seq_no'] ?? null) && is_int($answer['_primary_term'] ?? null)
            ? "?if_seq_no={$answer['_seq_no']}&if_primary_term={$answer['_primary_term']}"
            : '';

        return $this->change(
            $what,
            $path.$place,
            $body,
            $isDryRun,
            'Existing indices keep their policy until you attach the new one.',
        );
    }

    /** @param array<string, mixed> $body */
    private function template(array $body, string $name, bool $isDryRun): SchemaStep
    {
        $path = "/_index_template/{$name}";
        $fingerprint = substr(hash('sha256', (string) json_encode($body)), 0, 16);
        $body['_meta'] = ['description' => Retention::MARK, 'headroom' => $fingerprint];
        $answer = $this->cluster->get($path);
        $existing = self::member($answer ?? [], ['index_templates', 0, 'index_template']);
        $meta = self::member($existing, ['_meta']);
        $isOurs = ($meta['description'] ?? null) === Retention::MARK;
        $what = "index template {$name}";

        if ($answer === null || ! $isOurs || SettingsComparison::within($body, $existing)) {
            return $this->step($what, $path, $body, $answer === null ? null : $isOurs, $isDryRun);
        }

        // This version of the package created the template, so another program or an operator has changed it on
        // purpose.
        if (($meta['headroom'] ?? null) === $fingerprint) {
            return new SchemaStep(
                SchemaStepState::Differs,
                $what,
                "It was changed after this command created it, so it stays unchanged. To restore it, run DELETE {$path}"
                    .' and then this command.',
                self::request($path, $body),
            );
        }

        return $this->change(
            $what,
            $path,
            $body,
            $isDryRun,
            'It applies to the next index; for a data stream, run POST /NAME/_rollover.',
        );
    }

    private function stream(bool $isDryRun): ?SchemaStep
    {
        $name = $this->options->index->fixed();

        if ($name === null) {
            return null;
        }

        $path = '/_data_stream/'.rawurlencode($name);
        $what = "data stream {$name}";

        // If the name is that of an index, OpenSearch returns an empty list.
        if (self::member($this->cluster->get($path) ?? [], ['data_streams']) !== []) {
            return new SchemaStep(SchemaStepState::Unchanged, $what);
        }

        if ($this->cluster->get('/'.rawurlencode($name)) !== null) {
            return new SchemaStep(
                SchemaStepState::Differs,
                $what,
                'An index or an alias has that name. It takes events, but without retention; for a data stream,'
                    ." change the bucket's 'index' or remove that object.",
            );
        }

        if ($isDryRun) {
            return new SchemaStep(SchemaStepState::Planned, $what, '', "PUT {$path}");
        }

        $this->cluster->put($path, null);

        return new SchemaStep(SchemaStepState::Created, $what, '', "PUT {$path}");
    }

    /**
     * @param array<string, mixed> $body
     * @param ?bool $isOurs null if the object does not exist
     */
    private function step(string $what, string $path, array $body, ?bool $isOurs, bool $isDryRun): SchemaStep
    {
        $request = self::request($path, $body);

        if ($isOurs !== null) {
            return $isOurs
                ? new SchemaStep(SchemaStepState::Unchanged, $what)
                : new SchemaStep(
                    SchemaStepState::Differs,
                    $what,
                    'An object of that name exists that this command did not create, so it stays unchanged.'
                        .' Rename or remove it, and run this command again.',
                    $request,
                );
        }

        if ($isDryRun) {
            return new SchemaStep(SchemaStepState::Planned, $what, '', $request);
        }

        $this->cluster->put($path, $body);

        return new SchemaStep(SchemaStepState::Created, $what, '', $request);
    }

    /** @param array<string, mixed> $body */
    private function change(string $what, string $path, array $body, bool $isDryRun, string $note): SchemaStep
    {
        $request = self::request($path, $body);

        if ($isDryRun) {
            return new SchemaStep(
                SchemaStepState::Planned,
                $what,
                "This command created it with other options. {$note}",
                $request,
            );
        }

        $this->cluster->put($path, $body);

        return new SchemaStep(SchemaStepState::Changed, $what, $note, $request);
    }

    /** @param array<string, mixed> $body */
    private static function request(string $path, array $body): string
    {
        return "PUT {$path}\n".json_encode($body, JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES);
    }

    /**
     * @param array<mixed> $in
     * @param list<string|int> $path
     * @return array<mixed>
     */
    private static function member(array $in, array $path): array
    {
        foreach ($path as $key) {
            $in = $in[$key] ?? [];

            if (! is_array($in)) {
                return [];
            }
        }

        return $in;
    }
}
