@extends('pages.layout')

@section('title', __('blog.title'))

@section('content')
    <h1>{{ __('blog.title') }}</h1>
    @foreach ($posts as $post)
        <article>
            <h2>{{ $post->title }}</h2>
            <time datetime="{{ $post->published_at->toIso8601String() }}">
                {{ $post->published_at->locale($locale)->isoFormat('LL') }}, {{ $post->published_at->locale($locale)->diffForHumans($today, $syntax) }}
            </time>
            <p>{{ Str::limit($post->body, 80) }} {{ implode(', ', $post->tags) }}</p>
            <p>{{ trans_choice('blog.comments', $post->comments_count) }} {{ $post->comments->pluck('author')->unique()->implode(', ') }}</p>
        </article>
    @endforeach
    {{ $posts->links('pages.links') }}
@endsection
