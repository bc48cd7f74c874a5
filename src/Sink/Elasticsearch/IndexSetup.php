<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\SchemaOptions;
use Headroom\Sink\SchemaStep;
use Headroom\Sink\SchemaStepState;
use Headroom\Sink\UnableToDeliver;

/**
 * Makes what documents go into: retention first, then the template that names it, then the data stream that is made from
 * the template. What has not our mark in it is somebody else's, and is left alone.
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
        $name = 'headroom-'.rtrim($this->options->index->fixed() ?? strtr($this->options->index->wildcard(), ['*' => '']), '-._');
        $retention = new Retention($wish->keepDays, $this->options->index, $isOpenSearch, $version);
        $template = (new Template($this->options->index, $wish->data, $isOpenSearch))->body($retention->settings($name), $retention->lifecycle());

        return array_values(array_filter([
            $this->policy($retention, $name, $wish->isDry),
            $this->template($template, $name, $wish->isDry),
            $this->stream($wish->isDry),
        ]));
    }

    private function policy(Retention $retention, string $name, bool $isDry): ?SchemaStep
    {
        $path = $retention->policyPath($name);

        if ($path === null) {
            return null;
        }

        $what = "retention policy {$name}";

        if (! $this->cluster->knows($path)) {
            return new SchemaStep(SchemaStepState::Impossible, $what, 'This cluster has no such part (ISM of OpenSearch, ILM of Elasticsearch) installed. Install it, or leave --keep out and remove old indices in another way.');
        }

        $answer = $this->cluster->get($path);
        $there = $answer === null ? [] : $retention->policyOf($answer, $name);
        $body = $retention->policy();

        if ($answer === null || ! $retention->isOurs($there) || SettingsComparison::within($body, $there)) {
            return $this->step($what, $path, $body, $answer === null ? null : $retention->isOurs($there), $isDry);
        }

        // ISM asks for what it gave: two who change it at once do not undo each other.
        $place = is_int($answer['_seq_no'] ?? null) && is_int($answer['_primary_term'] ?? null) ? "?if_seq_no={$answer['_seq_no']}&if_primary_term={$answer['_primary_term']}" : '';

        return $this->change($what, $path.$place, $body, $isDry, 'Indices that are there keep the policy they have until it is put on them anew.');
    }

    /** @param array<string, mixed> $body */
    private function template(array $body, string $name, bool $isDry): SchemaStep
    {
        $path = "/_index_template/{$name}";
        $print = substr(hash('sha256', (string) json_encode($body)), 0, 16);
        $body['_meta'] = ['description' => Retention::MARK, 'headroom' => $print];
        $answer = $this->cluster->get($path);
        $there = self::dig($answer ?? [], ['index_templates', 0, 'index_template']);
        $meta = self::dig($there, ['_meta']);
        $isOurs = ($meta['description'] ?? null) === Retention::MARK;
        $what = "index template {$name}";

        if ($answer === null || ! $isOurs || SettingsComparison::within($body, $there)) {
            return $this->step($what, $path, $body, $answer === null ? null : $isOurs, $isDry);
        }

        // Made so by us, and otherwise now: somebody had a reason to.
        if (($meta['headroom'] ?? null) === $print) {
            return new SchemaStep(SchemaStepState::Differs, $what, "Somebody has changed it since it was made, so it is left as it is. To have ours again: DELETE {$path}, and run this again.", self::request($path, $body));
        }

        return $this->change($what, $path, $body, $isDry, 'It is of the next index: of a data stream after POST /NAME/_rollover.');
    }

    private function stream(bool $isDry): ?SchemaStep
    {
        $name = $this->options->index->fixed();

        if ($name === null) {
            return null;
        }

        $path = '/_data_stream/'.rawurlencode($name);
        $what = "data stream {$name}";

        // Asked for an index of that name, OpenSearch has an empty list.
        if (self::dig($this->cluster->get($path) ?? [], ['data_streams']) !== []) {
            return new SchemaStep(SchemaStepState::There, $what);
        }

        if ($this->cluster->get('/'.rawurlencode($name)) !== null) {
            return new SchemaStep(SchemaStepState::Differs, $what, "There is an index or an alias of that name, which takes events as well; retention does not touch it. For a data stream give the bucket's 'index' another name, or remove that one.");
        }

        if ($isDry) {
            return new SchemaStep(SchemaStepState::Wanted, $what, '', "PUT {$path}");
        }

        $this->cluster->put($path, null);

        return new SchemaStep(SchemaStepState::Made, $what, '', "PUT {$path}");
    }

    /**
     * @param array<string, mixed> $body
     * @param ?bool $isOurs null: there is none
     */
    private function step(string $what, string $path, array $body, ?bool $isOurs, bool $isDry): SchemaStep
    {
        $request = self::request($path, $body);

        if ($isOurs !== null) {
            return $isOurs
                ? new SchemaStep(SchemaStepState::There, $what)
                : new SchemaStep(SchemaStepState::Differs, $what, 'One of that name is there that was not made by this command, so it is left as it is. Rename or remove it, and run this again.', $request);
        }

        if ($isDry) {
            return new SchemaStep(SchemaStepState::Wanted, $what, '', $request);
        }

        $this->cluster->put($path, $body);

        return new SchemaStep(SchemaStepState::Made, $what, '', $request);
    }

    /** @param array<string, mixed> $body */
    private function change(string $what, string $path, array $body, bool $isDry, string $note): SchemaStep
    {
        $request = self::request($path, $body);

        if ($isDry) {
            return new SchemaStep(SchemaStepState::Wanted, $what, "It is there, made by this command with other options. {$note}", $request);
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
    private static function dig(array $in, array $path): array
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
